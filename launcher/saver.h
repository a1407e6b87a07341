// SPDX-License-Identifier: Apache-2.0
//
// A job's saves and loads on this host: shards that ranks have staged go to the store, a whole
// state comes from it, both in the host's pool, so that the loop never waits for a disk.
//
// Thread rules: the loop's thread. Answers come from the loop; none comes after the Saver's end.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "base/pool.h"
#include "jobs/core/checkpoint.h"
#include "net/answers.h"
#include "storage/checkpoint/writer.h"
#include "worker/messages.h"
#include "worker/staged_memory.h"

namespace boost::asio {
class io_context;
}

namespace ringmaster::launcher {

class Saver {
 public:
  /// `store` is its URL, `job` the name in its keys. The pool outlives the Saver.
  Saver(boost::asio::io_context& loop, Pool& pool, std::string store, std::string job);

  /// A store gets this long, and longer for much data: less than 10 MB/s is as good as nothing.
  static constexpr Duration kStoreLimit = std::chrono::minutes(2);
  static constexpr std::uint64_t kSlowestBytesPerSecond = 10'000'000;

  using Written = std::function<void(Result<storage::WrittenShard>)>;
  /// False: too many wait already.
  bool write(const worker::StagedMessage& message, jobs::Term term, worker::StagedMemory memory,
             Written done);

  /// A checkpoint's whole state.
  struct Loaded {
    std::vector<std::uint64_t> blocks;
    worker::StagedMemory memory;
  };
  using OnLoaded = std::function<void(Result<Loaded>)>;
  bool load(const jobs::CheckpointAt& at, OnLoaded done);

 private:
  boost::asio::io_context& loop_;
  Pool& pool_;
  std::string store_;
  std::string job_;
  net::Answers<Result<storage::WrittenShard>> writes_;
  net::Answers<Result<Loaded>> loads_;
  std::shared_ptr<int> alive_ = std::make_shared<int>();  // answers look whether it is
};

}  // namespace ringmaster::launcher
