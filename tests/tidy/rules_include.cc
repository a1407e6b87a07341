// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <optional>

#include "tests/tidy/rules.h"

namespace ringmaster::tidy {
namespace {

constexpr std::array kTopFolders = {"base",     "topology",   "collectives", "net",
                                    "storage",  "worker",     "jobs",        "clouds",
                                    "launcher", "benchmarks", "tests",       "examples"};

/// Who may include whom. The first line whose `from` holds the file decides.
struct Layer {
  std::string_view from;
  std::vector<std::string_view> may_include;
};

const std::vector<Layer>& layers() {
  static const std::vector<Layer> all = {
      {"base", {"base"}},
      {"topology", {"base", "topology"}},
      {"collectives", {"base", "topology", "collectives"}},
      {"net", {"base", "net"}},
      {"storage", {"base", "net", "storage"}},
      {"jobs/core", {"base", "topology", "jobs/core"}},
      {"jobs", {"base", "topology", "net", "storage", "jobs"}},
      {"clouds", {"base", "net", "jobs/core", "clouds"}},
      {"worker", {"base", "collectives", "storage/layout", "worker"}},
      {"launcher",
       {"base", "topology", "collectives", "net", "storage", "jobs", "clouds", "worker",
        "launcher"}},
  };
  return all;
}

struct Include {
  std::string path;
  bool quoted;
};

std::optional<Include> include_of(const std::string& line) {
  if (!line.starts_with("#include")) return std::nullopt;
  const std::size_t open = line.find_first_of("\"<");
  if (open == std::string::npos) return std::nullopt;
  const std::size_t close = line.find_first_of("\">", open + 1);
  return Include{line.substr(open + 1, close - open - 1), line[open] == '"'};
}

bool is_below(std::string_view path, std::string_view folder) {
  return path.starts_with(folder) && path.substr(folder.size()).starts_with('/');
}

bool is_own(std::string_view path) {
  return std::ranges::any_of(kTopFolders, [&](auto folder) { return is_below(path, folder); });
}

}  // namespace

void check_layers(const SourceFile& file, const Tree&, Findings& findings) {
  const auto layer = std::ranges::find_if(
      layers(), [&](const Layer& candidate) { return file.is_under(candidate.from); });
  if (layer == layers().end()) return;  // benchmarks, tests and examples may include everything
  for (std::size_t i = 0; i < file.code.size(); ++i) {
    const auto include = include_of(file.code[i]);
    if (!include || !is_own(include->path)) continue;
    const bool allowed = std::ranges::any_of(
        layer->may_include, [&](auto folder) { return is_below(include->path, folder); });
    if (!allowed) {
      findings.add(i + 1, std::string(layer->from) + "/ may not include " + include->path);
    }
    if (layer->from == "collectives" && is_below(include->path, "topology/detect")) {
      findings.add(i + 1, "collectives/ takes a Topology, it does not detect one");
    }
  }
}

void check_include_path(const SourceFile& file, const Tree&, Findings& findings) {
  for (std::size_t i = 0; i < file.code.size(); ++i) {
    const auto include = include_of(file.code[i]);
    if (!include) continue;
    if (include->quoted && !is_own(include->path)) {
      findings.add(i + 1, "\"" + include->path + "\" does not start with one of our folders");
    } else if (!include->quoted && is_own(include->path)) {
      findings.add(i + 1, "<" + include->path + "> is ours: write it in quotes");
    }
  }
}

void check_asio_homes(const SourceFile& file, const Tree&, Findings& findings) {
  const bool shell = file.is_under("launcher") || file.is_under("jobs/coordinator");
  if (file.is_under("net") || (shell && file.is_source())) return;
  for (std::size_t i = 0; i < file.code.size(); ++i) {
    const auto include = include_of(file.code[i]);
    const bool header =
        include && (include->path.starts_with("asio") || include->path.starts_with("boost/asio"));
    // A shell's header may declare the loop ahead, so that the heavy header stays in its .cc.
    const bool used = !include && !shell && std::ranges::count(words_of(file.code[i]), "asio") > 0;
    if (header || used) {
      findings.add(i + 1, "Asio is at home in net/ and in the .cc files of the shells only");
    }
  }
}

}  // namespace ringmaster::tidy
