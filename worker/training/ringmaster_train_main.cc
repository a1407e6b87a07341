// SPDX-License-Identifier: Apache-2.0
//
// ringmaster-train: trains a small network on Fashion-MNIST, as one rank of an elastic job or
// alone.
#include <fmt/format.h>

#include <cerrno>
#include <cstdio>

#include "worker/training/trainer.h"

namespace {

using namespace ringmaster;
using namespace ringmaster::training;

constexpr int kFailed = 1;
constexpr int kBadArguments = 2;

/// Says why the rank ends: through the launcher, which says it once for all ranks, or by itself.
int end_with(worker::Session* session, const Error& error, int exit_code) {
  if (session == nullptr || !session->fail(error.message)) {
    fmt::print(stderr, "ringmaster-train: {}\n", error.message);
  }
  return exit_code;
}

Result<void> print(const std::string& text) {
  const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
  if (written && std::fflush(stdout) == 0) return {};
  return errno_error(errno, "write standard output");
}

std::string summary_text(const RunPlan& plan, const TrainResult& result) {
  return fmt::format(
      "{}: accuracy {:.2f} %, {} steps, {:.1f} s, {:.0f} images/s, weights {:016x}\n",
      plan.model->name, result.facts.accuracy * 100, result.facts.steps, result.facts.seconds,
      result.facts.images_per_s, result.facts.weights);
}

Result<void> train(const TrainSettings& settings, worker::Session* session) {
  auto metrics = MetricsFile::open(settings.metrics);
  if (!metrics) return metrics.error();
  auto train_set = read_dataset(settings.data, "train", static_cast<std::size_t>(settings.images));
  if (!train_set) return train_set.error();
  auto test_set = read_dataset(settings.data, "t10k", 0);
  if (!test_set) return test_set.error();
  const RunPlan plan = make_run_plan(settings, static_cast<std::int64_t>(train_set->size()));
  Trainer trainer(plan, session, &*metrics, &*train_set, &*test_set);
  auto result = trainer.run();
  if (!result) return result.error();
  if (result->generation.position != 0) return {};
  return print(summary_text(plan, *result));
}

}  // namespace

int main(int count, char** arguments) {
  // The session first: with it, four ranks with the same mistake in their arguments say it once.
  auto session = worker::Session::open();
  if (!session) return end_with(nullptr, session.error(), kFailed);

  TrainSettings settings;
  const Flags flags = settings.flags();
  auto parsed = parse_flags(flags, {arguments + 1, arguments + count}, Rest::none);
  if (!parsed) return end_with(&*session, parsed.error(), kBadArguments);
  if (parsed->help || parsed->print_config) {
    auto printed = print(parsed->help ? train_help() : config_text(flags));
    return printed ? 0 : end_with(&*session, printed.error(), kFailed);
  }
  // No flag is read below this line.

  auto trained = train(settings, &*session);
  return trained ? 0 : end_with(&*session, trained.error(), kFailed);
}
