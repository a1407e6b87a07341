// SPDX-License-Identifier: Apache-2.0
//
// `ringmaster serve`: runs a coordinator for this user in the foreground.
#include <fmt/format.h>
#include <unistd.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <csignal>

#include "jobs/coordinator/coordinator.h"
#include "launcher/clock_text.h"
#include "launcher/commands/command.h"
#include "launcher/host/local_hosts.h"

namespace ringmaster::launcher {

namespace {

/// "2026-01-31 12:00:00  line" on standard error.
void say_line(const std::string& line) {
  fmt::print(stderr, "{}  {}\n", clock_text(read_wall_seconds()), line);
}

Duration seconds(double value) {
  return std::chrono::duration_cast<Duration>(std::chrono::duration<double>(value));
}

/// What was bound before, so that agents find it again; `listen` moves it to another address.
std::string address_to_bind(const std::string& known, const std::string& listen) {
  if (known.empty()) return fmt::format("tcp://{}:0", listen.empty() ? "127.0.0.1" : listen);
  if (listen.empty()) return known;
  return fmt::format("tcp://{}:{}", listen, known.substr(known.rfind(':') + 1));
}

struct ServeSettings {
  StateHome home;
  std::string listen;
  Duration host_lease, abandon_after;
  std::int64_t keep_jobs;
  net::KeyPair keys;
  std::set<std::string> allowed;
};

int serve(const ServeSettings& settings) {
  const StateHome& home = settings.home;
  boost::asio::io_context loop;
  LocalHosts hosts(loop, home, settings.abandon_after);
  int exit_code = 0;
  const auto known = home.endpoint();
  jobs::Coordinator::Options options = {
      .home = home.path(),
      .address = address_to_bind(known ? *known : "", settings.listen),
      .keys = settings.keys,
      .allowed = settings.allowed,
      .host_lease = settings.host_lease,
      .keep_jobs = settings.keep_jobs,
      .say = say_line,
      .on_failure =
          [&](const Error& error) {
            say_line(fmt::format("cannot go on: {}", error.message));
            exit_code = 1;
            loop.stop();
          },
      .on_stop = [&] { loop.stop(); },
      .is_allowed =
          [&](const std::string& key) {
            const auto again = home.allowed();
            return again && again->contains(key);
          }};
  auto coordinator = jobs::Coordinator::open(loop, std::move(options), hosts);
  if (!coordinator) return fail(false, coordinator.error());
  hosts.set_endpoint((*coordinator)->endpoint());
  if (auto written = home.write_endpoint((*coordinator)->endpoint()); !written) {
    return fail(false, written.error());
  }
  boost::asio::signal_set signals(loop, SIGINT, SIGTERM, SIGHUP);
  signals.async_wait([&](const boost::system::error_code& code, int) {
    if (!code) loop.stop();
  });
  say_line(fmt::format("coordinator listens on {}, state in {}", (*coordinator)->endpoint(),
                       home.path()));
  loop.run();
  return exit_code;
}

}  // namespace

int run_serve(const Arguments& arguments) {
  StateHome home = StateHome::from_environment();
  std::string path = home.path(), listen = {};
  double abandon_after = 900, lease = 10;
  std::int64_t keep_jobs = 10'000;
  const Flags flags = {
      {"--home", &path, "FOLDER", "the state directory"},
      {"--listen", &listen, "IP",
       "the address for agents and commands, 127.0.0.1 at first; it and the port are kept"},
      {"--host-lease", &lease, "S", "a host that is silent for so long is lost", between(1, 3600)},
      {"--abandon-after", &abandon_after, "S",
       "local hosts that hear no coordinator for so long end", between(1, 1e6)},
      {"--keep-jobs", &keep_jobs, "N",
       "how many ended jobs stay readable; older ones go, with their logs", between(1, 1e6)},
  };
  const Usage usage = {"ringmaster serve [options]",
                       "Runs a coordinator: keeps jobs alive on hosts that may vanish. Jobs go on "
                       "while it is away.",
                       "ringmaster serve &"};
  const Read read = read_arguments(usage, flags, arguments);
  if (!read.run) return read.exit_code;
  home = StateHome(path);
  if (auto prepared = home.prepare(); !prepared) return fail(false, prepared.error());
  const auto lock = take_lock(home.file("lock"), fmt::format("process {}", getpid()));
  if (!lock && is_locked(home.file("lock"))) {
    return fail(
        false,
        {lock.error().code, fmt::format("a coordinator runs already: {}", lock.error().message)},
        "ringmaster down ends it");
  }
  if (!lock) return fail(false, lock.error());
  const auto keys = home.server_keys();
  if (!keys) return fail(false, keys.error());
  const auto allowed = home.allowed();
  if (!allowed) return fail(false, allowed.error());
  return serve({home, listen, seconds(lease), seconds(abandon_after), keep_jobs, *keys, *allowed});
}

}  // namespace ringmaster::launcher
