// SPDX-License-Identifier: Apache-2.0
//
// Error files, which a rank writes: whatever is in one, what is told of it is short, and its
// message is one line.
#include <algorithm>

#include "base/check.h"
#include "launcher/contracts/error_file.h"
#include "tests/fuzz/target.h"

namespace ringmaster::fuzz {

namespace {

void run(std::string_view input) {
  const auto report = launcher::parse_error_file(input);
  if (!report) return;
  CHECK(!report->message.empty());
  CHECK(report->message.find('\n') == std::string::npos);
  CHECK_LT(std::count(report->traceback.begin(), report->traceback.end(), '\n'),
           static_cast<std::ptrdiff_t>(launcher::kTracebackLines));
}

}  // namespace

Target error_file_target() {
  return {"error_file",
          {R"({"message": {"message": "E: x", "extraInfo": {"py_callstack": "a\nb\n", )"
           R"("timestamp": "17"}}})",
           R"({"message": "m", "timestamp": 3})"},
          &run};
}

}  // namespace ringmaster::fuzz
