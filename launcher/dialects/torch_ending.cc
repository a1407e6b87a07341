// SPDX-License-Identifier: Apache-2.0
#include "launcher/dialects/torch_ending.h"

#include <fmt/format.h>

#include <algorithm>

#include "launcher/clock_text.h"

namespace ringmaster::launcher {

namespace {

const std::string kThickLine(60, '=');
const std::string kThinLine(60, '-');

/// The lines behind the first stand below it.
std::string indented(const std::string& text) {
  std::string out;
  for (const char c : text) {
    out += c;
    if (c == '\n') out += "  ";
  }
  return out;
}

}  // namespace

bool TorchEnding::wants_traces(const jobs::Event& event) const {
  const auto* exited = std::get_if<jobs::RankExited>(&event);
  return exited != nullptr && !exited->status.success() &&
         !stopped_.contains(exited->id.incarnation);
}

void TorchEnding::hear(const jobs::RankFailed& event) {
  said_.emplace_back(event.id.incarnation, event.message);
}

void TorchEnding::hear(const jobs::RankExited& event, Traces traces) {
  Failure failure{event.id, event.status, std::move(traces), {}};
  for (const auto& [incarnation, words] : said_) {
    if (incarnation == event.id.incarnation) failure.words = words;
  }
  failures_.push_back(std::move(failure));
}

void TorchEnding::tell(const jobs::Action& action) {
  if (const auto* signal = std::get_if<jobs::SignalRank>(&action)) {
    stopped_.insert(signal->id.incarnation);
  }
  const auto* start = std::get_if<jobs::StartRank>(&action);
  if (start == nullptr || start->attempt <= attempt_) return;
  attempt_ = start->attempt;
  failures_.clear();
  said_.clear();
  stopped_.clear();
}

double TorchEnding::Failure::moment() const {
  const bool known = traces.report && traces.report->seconds;
  return known ? static_cast<double>(*traces.report->seconds) : traces.wall;
}

std::string TorchEnding::words_of(const Failure& failure) const {
  const auto& report = failure.traces.report;
  if (report && !report->traceback.empty()) return report->traceback;
  if (report && !report->message.empty()) return report->message;
  if (failure.status.signal != 0) {
    return fmt::format("Signal {} ({}) received by PID {}", failure.status.signal,
                       jobs::signal_name(failure.status.signal), failure.traces.pid);
  }
  if (!failure.words.empty()) return failure.words;
  return "none: a main function below torch.distributed.elastic's @record leaves one";
}

std::string TorchEnding::block_of(const Failure& failure, int number, std::string_view host) const {
  std::string time = clock_text(failure.moment());
  std::replace(time.begin(), time.end(), ' ', '_');
  const int code = failure.status.signal != 0 ? -failure.status.signal : failure.status.code;
  const std::string file = failure.traces.report ? failure.traces.error_file : std::string("<N/A>");
  return fmt::format(
      "[{0}]:\n  time      : {1}\n  host      : {2}\n  rank      : {3} (local_rank: {3})\n"
      "  exitcode  : {4} (pid: {5})\n  error_file: {6}\n  traceback : {7}\n",
      number, time, host, failure.id.rank.value, code, failure.traces.pid, file,
      indented(words_of(failure)));
}

std::string TorchEnding::text(std::string_view program, std::string_view host) const {
  if (failures_.empty()) return "";
  std::vector<const Failure*> order;
  for (const Failure& failure : failures_) order.push_back(&failure);
  // Ends that were seen in one second keep the order in which they were seen.
  std::stable_sort(order.begin(), order.end(),
                   [](const Failure* a, const Failure* b) { return a->moment() < b->moment(); });
  std::string text = fmt::format("{}\n{} FAILED\n{}\nFailures:\n", kThickLine, program, kThinLine);
  for (std::size_t i = 1; i < order.size(); ++i) {
    text += block_of(*order[i], static_cast<int>(i), host);
  }
  if (order.size() == 1) text += "  <NO_OTHER_FAILURES>\n";
  text += fmt::format("{}\nRoot Cause (first observed failure):\n", kThinLine);
  return text + block_of(*order.front(), 0, host) + kThickLine + "\n";
}

}  // namespace ringmaster::launcher
