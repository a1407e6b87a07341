// SPDX-License-Identifier: Apache-2.0
//
// Serves a Store over HTTP, as Horovod's Gloo controller asks for it: GET (404 while a value is
// missing), PUT and DELETE of /SCOPE/KEY.
//
// It listens on the loopback only: all its ranks are on this host. That lets other users of the
// host speak to it, as they can to the ports that Gloo itself opens; what they can do is bounded to
// this one job's rendezvous, which has no secret.
//
// Thread rules: the loop's thread.
#pragma once

#include <memory>

#include "base/result.h"
#include "launcher/rendezvous/store.h"

namespace boost::asio {
class io_context;
}

namespace ringmaster::launcher::rendezvous {

struct HttpServerParts;

class HttpServer {
 public:
  static Result<std::unique_ptr<HttpServer>> start(boost::asio::io_context& loop, Store store);
  ~HttpServer();

  int port() const;

 private:
  explicit HttpServer(std::shared_ptr<HttpServerParts> parts);
  std::shared_ptr<HttpServerParts>
      parts_;  // shared, so that a handler that waits in the loop can tell
};

}  // namespace ringmaster::launcher::rendezvous
