// SPDX-License-Identifier: Apache-2.0
//
// One rank of `ringmaster bench output`: numbered lines as fast as standard output takes them.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "launcher/commands/command.h"

namespace ringmaster::launcher {

namespace {

constexpr std::int64_t kOutputLines = 1024;  // made once, written again and again

Result<void> write_whole(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t size = ::write(STDOUT_FILENO, bytes.data(), bytes.size());
    if (size < 0 && errno != EINTR) return errno_error(errno, "write to standard output");
    bytes.remove_prefix(static_cast<std::size_t>(std::max<ssize_t>(size, 0)));
  }
  return {};
}

}  // namespace

int run_output_rank(const Arguments& arguments) {
  std::int64_t mib = 64, line = 100, block = 65536;
  const Flags flags = {
      {"--mib", &mib, "N", "MiB to write", between(1, 65536)},
      {"--line", &line, "N", "bytes of a line", between(16, 65536)},
      {"--block", &block, "N", "bytes of a write", between(1, 1 << 20)},
  };
  const Usage usage = {"ringmaster bench output-rank [options]",
                       "One rank of `ringmaster bench output`, which starts it.",
                       "ringrun -np 8 ringmaster bench output-rank --mib 64 > file"};
  const Read read = read_arguments(usage, flags, arguments);
  if (!read.run) return read.exit_code;
  std::string text;
  for (std::int64_t i = 0; i < kOutputLines; ++i) {
    text += fmt::format("{:010} ", i);
    text.append(static_cast<std::size_t>(line) - 12, 'x');
    text += '\n';
  }
  // Blocks cut lines anywhere, as a program's own buffer does.
  const auto size = static_cast<std::size_t>(block);
  while (text.size() < 2 * size) text += std::string(text);
  const std::size_t period = static_cast<std::size_t>(kOutputLines * line);
  std::size_t at = 0;
  for (std::int64_t left = mib << 20; left > 0;) {
    const std::size_t now = std::min(size, static_cast<std::size_t>(left));
    if (auto wrote = write_whole(std::string_view(text).substr(at, now)); !wrote) {
      return fail(false, wrote.error());
    }
    at = (at + now) % period;
    if (at + size > text.size()) at = 0;
    left -= static_cast<std::int64_t>(now);
  }
  return 0;
}

}  // namespace ringmaster::launcher
