// SPDX-License-Identifier: Apache-2.0
//
// Metrics files: what the parser accepts can be summed up and drawn, in all of its three faces.
#include <nlohmann/json.hpp>

#include "base/check.h"
#include "launcher/report/metrics.h"
#include "launcher/report/page.h"
#include "launcher/report/sample_run.h"
#include "launcher/report/summary_json.h"
#include "launcher/report/terminal.h"
#include "tests/fuzz/target.h"

namespace ringmaster::fuzz {

namespace {

void run(std::string_view input) {
  const auto metrics = launcher::parse_metrics(input, "run.jsonl");
  if (!metrics) {
    CHECK(metrics.error().message.starts_with("run.jsonl"));
    return;
  }
  const auto summary = launcher::summarize(*metrics);
  CHECK_LE(summary.history.size(), metrics->steps.size());
  CHECK_LE(0, summary.losses);
  CHECK(summary.good() || !summary.ledger.text.empty());
  const auto json = nlohmann::json::parse(launcher::summary_json(summary), nullptr, false);
  CHECK(json.is_object());
  CHECK(launcher::make_page(summary).find("</html>") != std::string::npos);
  CHECK(!launcher::terminal_summary(summary).empty());
}

/// The lines of the sample run that are of one kind, at most `most` of them.
std::string lines_of(const std::string& kind, int most) {
  const std::string all = launcher::sample_run();
  std::string found;
  for (std::size_t begin = 0; begin < all.size() && most > 0;) {
    const std::size_t end = all.find('\n', begin) + 1;
    const std::string line = all.substr(begin, end - begin);
    if (line.find("\"event\":\"" + kind + "\"") != std::string::npos) {
      found += line;
      --most;
    }
    begin = end;
  }
  return found;
}

}  // namespace

Target metrics_target() {
  const std::string start = lines_of("start", 1);
  const std::string some =
      start + lines_of("generation", 3) + lines_of("step", 9) + lines_of("result", 2);
  const auto with = [](std::string text, const std::string& old, const std::string& value) {
    return text.replace(text.find(old), old.size(), value);
  };
  const std::string diverged = with(lines_of("step", 1), "\"loss\":", "\"loss\":null,\"was\":");
  return {"metrics",
          {some, start + lines_of("generation", 5), start + lines_of("step", 40), start,
           some + some, some.substr(0, some.size() - 20), start + diverged,
           with(start, "\"ranks\":4", "\"ranks\":0")},
          &run,
          4000};
}

}  // namespace ringmaster::fuzz
