// SPDX-License-Identifier: Apache-2.0
#include "launcher/report/metrics.h"

#include <fmt/format.h>

#include <cerrno>
#include <cmath>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <sstream>

namespace ringmaster::launcher {

namespace {

using PlainJson = nlohmann::json;

/// Takes fields out of one line and remembers the first thing that is wrong with them.
class Fields {
 public:
  explicit Fields(const PlainJson& line) : line_(line) {}

  void take(const char* name, double& value, double highest = kHighest) {
    const PlainJson* field = find(name);
    if (field == nullptr) return;
    if (!field->is_number()) return wrong(name, "a number");
    value = field->get<double>();
    if (std::fabs(value) > highest) wrong(name, "a number of a sane size");
  }
  /// A loss that is no number any more is written as null; it is still a step that happened.
  void take_loss(const char* name, double& value) {
    const PlainJson* field = find(name);
    if (field == nullptr || !field->is_null()) return take(name, value, kHighestLoss);
    value = std::numeric_limits<double>::quiet_NaN();
  }
  void take(const char* name, std::int64_t& value) {
    const PlainJson* field = find(name);
    if (field == nullptr) return;
    if (!is_count(*field, kHighest)) return wrong(name, "a whole number from 0 to 1e15");
    value = field->get<std::int64_t>();
  }
  void take(const char* name, int& value) {
    const PlainJson* field = find(name);
    if (field == nullptr) return;
    if (!is_count(*field, kHighestRank)) return wrong(name, "a small whole number");
    value = field->get<int>();
  }
  void take(const char* name, std::string& value) {
    const PlainJson* field = find(name);
    if (field == nullptr) return;
    if (!field->is_string()) return wrong(name, "a text");
    value = field->get<std::string>();
  }
  void take(const char* name, std::vector<int>& value) {
    const PlainJson* field = find(name);
    if (field == nullptr) return;
    if (!field->is_array()) return wrong(name, "a list");
    for (const PlainJson& item : *field) {
      if (!is_count(item, kHighestRank)) return wrong(name, "a list of small whole numbers");
      value.push_back(item.get<int>());
    }
  }
  const std::string& error() const { return error_; }

 private:
  // Beyond these a file is not ours, and sums and drawings would leave what their types can hold.
  static constexpr double kHighestRank = 1e6;
  static constexpr double kHighest = 1e15;
  static constexpr double kHighestLoss = 1e40;  // above any float: it may diverge

  static bool is_count(const PlainJson& field, double highest) {
    if (!field.is_number_integer()) return false;
    const auto value = field.get<double>();  // of any width, unsigned too
    return value >= 0 && value <= highest;
  }
  const PlainJson* find(const char* name) {
    const auto at = line_.find(name);
    if (at != line_.end()) return &*at;
    if (error_.empty()) error_ = fmt::format("the field \"{}\" is missing", name);
    return nullptr;
  }
  void wrong(const char* name, const char* kind) {
    if (error_.empty()) error_ = fmt::format("the field \"{}\" is not {}", name, kind);
  }

  const PlainJson& line_;
  std::string error_ = {};
};

void take_start(Fields& fields, Metrics& metrics) {
  const bool second = metrics.start.time != 0;
  metrics = Metrics{};
  if (second) metrics.notes.push_back("the file holds several runs: this is the last one");
  StartEvent& e = metrics.start;
  fields.take("time", e.time);
  fields.take("model", e.model);
  fields.take("ranks", e.ranks);
  fields.take("seed", e.seed);
  fields.take("epochs", e.epochs);
  fields.take("steps", e.steps);
  fields.take("batch", e.batch);
  fields.take("train_images", e.train_images);
  fields.take("test_images", e.test_images);
  fields.take("kernel", e.kernel);
}

void take_generation(Fields& fields, Metrics& metrics) {
  GenerationEvent e;
  fields.take("time", e.time);
  fields.take("generation", e.generation);
  fields.take("rank", e.rank);
  fields.take("world", e.world);
  fields.take("members", e.members);
  fields.take("lost", e.lost);
  fields.take("joined", e.joined);
  fields.take("steps", e.steps);
  fields.take("source", e.source);
  fields.take("heal_ms", e.heal_ms);
  fields.take("reason", e.reason);
  metrics.generations.push_back(std::move(e));
}

void take_step(Fields& fields, Metrics& metrics) {
  StepEvent e;
  fields.take("time", e.time);
  fields.take("step", e.step);
  fields.take("epoch", e.epoch);
  fields.take("generation", e.generation);
  fields.take("rank", e.rank);
  fields.take("world", e.world);
  fields.take_loss("loss", e.loss);
  fields.take("images_per_s", e.images_per_s);
  fields.take("first", e.first);
  fields.take("images", e.images);
  fields.take("counted", e.counted);
  metrics.steps.push_back(e);
}

void take_result(Fields& fields, Metrics& metrics) {
  ResultEvent e;
  fields.take("time", e.time);
  fields.take("rank", e.rank);
  fields.take("generation", e.generation);
  fields.take("accuracy", e.accuracy);
  fields.take("steps", e.steps);
  fields.take("seconds", e.seconds);
  fields.take("images_per_s", e.images_per_s);
  fields.take("weights", e.weights);
  metrics.results.push_back(std::move(e));
}

/// Adds one line to `metrics`; returns what is wrong with it, or "".
std::string take_line(const PlainJson& line, Metrics& metrics) {
  const auto event = line.find("event");
  if (event == line.end() || !event->is_string()) return "the field \"event\" is missing";
  Fields fields(line);
  const auto& name = event->get_ref<const std::string&>();
  if (name != "start" && metrics.start.time == 0) {
    return fmt::format("\"{}\" before any \"start\"", name);
  }
  if (name == "start") {
    take_start(fields, metrics);
  } else if (name == "generation") {
    take_generation(fields, metrics);
  } else if (name == "step") {
    take_step(fields, metrics);
  } else if (name == "result") {
    take_result(fields, metrics);
  } else {
    return fmt::format("an unknown event \"{}\"", name);
  }
  return fields.error();
}

/// The whole line behind what a writer left that was killed in the middle of its own: the system
/// ends such a write at a page's end. Nothing: there is none.
PlainJson behind_cut(std::string_view line) {
  const auto at = line.rfind(R"({"event":)");
  if (at == std::string_view::npos || at == 0) return nullptr;
  return PlainJson::parse(line.substr(at), nullptr, false);
}

}  // namespace

Result<Metrics> parse_metrics(std::string_view text, std::string_view name) {
  Metrics metrics;
  int number = 0;
  while (!text.empty()) {
    ++number;
    const auto end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    const bool last = end == std::string_view::npos || end + 1 == text.size();
    text = end == std::string_view::npos ? std::string_view{} : text.substr(end + 1);
    PlainJson json = PlainJson::parse(line, nullptr, false);
    if (!json.is_object()) {
      json = behind_cut(line);
      if (json.is_object()) {
        metrics.notes.push_back(
            fmt::format("line {} begins with a cut one (a killed writer): left out", number));
      }
    }
    if (!json.is_object()) {
      if (last && metrics.start.time != 0) {
        metrics.notes.push_back(
            fmt::format("line {} is cut off (a killed writer): left out", number));
        break;
      }
      return Error{Errc::corrupt, fmt::format("{}:{}: not a JSON object", name, number)};
    }
    const std::string problem = take_line(json, metrics);
    if (!problem.empty()) {
      return Error{Errc::corrupt, fmt::format("{}:{}: {}", name, number, problem)};
    }
  }
  if (metrics.start.time == 0) {
    return Error{Errc::corrupt, fmt::format("{}: no \"start\" line: is it a metrics file?", name)};
  }
  return metrics;
}

Result<Metrics> read_metrics(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return errno_error(errno, fmt::format("read {}", path));
  std::ostringstream text;
  text << file.rdbuf();
  if (file.bad() || text.bad()) return errno_error(errno, fmt::format("read {}", path));
  return parse_metrics(text.str(), path);
}

}  // namespace ringmaster::launcher
