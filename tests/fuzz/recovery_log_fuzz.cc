// SPDX-License-Identifier: Apache-2.0
//
// The log of the recovery benchmark: lines survive being written again, and portions of any size
// come to the same.
#include "base/check.h"
#include "launcher/commands/recovery_log.h"
#include "tests/fuzz/input.h"
#include "tests/fuzz/target.h"

namespace ringmaster::fuzz {

namespace {

using launcher::RecoveryLog;

void check_line(std::string_view text) {
  const auto line = launcher::parse_line(text);
  if (!line) return;
  std::string written = launcher::format_line(*line);
  CHECK(written.ends_with('\n'));
  written.pop_back();
  const auto again = launcher::parse_line(written);
  CHECK(again.has_value());
  CHECK_EQ(launcher::format_line(*again), written + "\n");
}

bool append_in_portions(RecoveryLog& log, std::string_view text, std::size_t portion) {
  while (!text.empty()) {
    if (!log.append(text.substr(0, portion))) return false;
    text.remove_prefix(std::min(portion, text.size()));
  }
  return true;
}

void run(std::string_view input) {
  Input in(input);
  const std::size_t portion = in.below(16) + 1;
  const std::string_view text = in.rest();
  check_line(text.substr(0, text.find('\n')));
  RecoveryLog at_once, in_portions;
  const bool whole = at_once.append(text);
  CHECK_EQ(whole, append_in_portions(in_portions, text, portion));
  if (!whole) return;
  const auto generation = at_once.whole_generation(2, 0);
  CHECK(generation == in_portions.whole_generation(2, 0));
  CHECK(at_once.survivors_went_on(2, {1}, 0) == in_portions.survivors_went_on(2, {1}, 0));
  if (!generation) return;
  CHECK_LT(0, *generation);
  CHECK(at_once.completed(*generation) == in_portions.completed(*generation));
  CHECK(at_once.pid_of(0, *generation) == in_portions.pid_of(0, *generation));
}

}  // namespace

Target recovery_log_target() {
  const std::string lines = "0 100 1 2 5000\n1 101 1 2 5100\n0 100 2 1 9000\n";
  return {"recovery_log", {"\x05" + lines, "\x01" + lines, "\x10" + lines + "1 1"}, &run, 20000};
}

}  // namespace ringmaster::fuzz
