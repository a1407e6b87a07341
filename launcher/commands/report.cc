// SPDX-License-Identifier: Apache-2.0
//
// `ringmaster report`: a run's metrics as a page, as a summary on the terminal, or as JSON.
#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <fstream>

#include "launcher/commands/command.h"
#include "launcher/report/page.h"
#include "launcher/report/summary_json.h"
#include "launcher/report/terminal.h"

namespace ringmaster::launcher {

namespace {

Result<void> write_text(const std::string& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file << text;
  file.close();
  if (!file) return errno_error(errno, fmt::format("write {}", path));
  return {};
}

/// A report of a run that went wrong is written all the same; the exit code tells scripts.
int judge(bool json, const Summary& summary) {
  if (!summary.ledger.good) {
    return fail(json, {Errc::corrupt, "the ledger does not add up: " + summary.ledger.text});
  }
  if (!summary.weights.good) return fail(json, {Errc::mismatch, summary.weights.text});
  return 0;
}

}  // namespace

int run_report(const Arguments& arguments) {
  bool json = false, terminal = false;
  std::string output;
  const Flags flags = {
      {"-o,--output", &output, "FILE", "write the report as one HTML page"},
      {"--summary", &terminal, "", "print a summary for people (the default without -o)"},
      {"--json", &json, "", "print the summary as one JSON object"},
  };
  const Usage usage = {
      "ringmaster report METRICS [-o FILE.html] [options]",
      "Shows what a training run did, from the file that --metrics wrote: loss, speed, who was "
      "lost "
      "and how fast the ring healed, and whether every image was counted exactly once.",
      "ringmaster report run.jsonl -o report.html --summary", Rest::words};
  const Read read = read_arguments(usage, flags, arguments);
  if (!read.run) return read.exit_code;
  if (read.words.size() != 1) {
    return fail(
        json,
        {Errc::invalid, fmt::format("report takes one metrics file, not {}", read.words.size())},
        "example: ringmaster report run.jsonl -o report.html", kExitUsage);
  }
  const auto metrics = read_metrics(read.words.front());
  if (!metrics) {
    return fail(json, metrics.error(), "a metrics file is made by ringmaster-train --metrics FILE");
  }
  const Summary summary = summarize(*metrics);
  if (!output.empty()) {
    if (auto written = write_text(output, make_page(summary)); !written) {
      return fail(json, written.error());
    }
  }
  if (json) {
    fmt::print("{}\n", summary_json(summary));
  } else if (terminal || output.empty()) {
    fmt::print("{}", terminal_summary(summary));
  }
  if (!output.empty() && !json) fmt::print("{}report: {}\n", terminal ? "\n" : "", output);
  return judge(json, summary);
}

}  // namespace ringmaster::launcher
