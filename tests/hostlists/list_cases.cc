// SPDX-License-Identifier: Apache-2.0
#include "tests/hostlists/list_cases.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <fstream>
#include <sstream>

#include "launcher/hostlist/text.h"

namespace ringmaster::hostlists {

namespace {

using namespace launcher::hostlist;

struct SyntaxName {
  std::string_view syntax, format;
};
// The syntaxes of a table that are not called as their formats.
constexpr std::array<SyntaxName, 11> kSyntaxNames = {{{"ompi-hostfile", "openmpi"},
                                                      {"ompi-host", "openmpi-host"},
                                                      {"hydra-hostfile", "hydra"},
                                                      {"deepspeed-hostfile", "deepspeed"},
                                                      {"horovod-H", "horovod"},
                                                      {"slurm-nodelist", "slurm"},
                                                      {"pbs-nodefile", "pbs"},
                                                      {"lsf-mcpu-hosts", "lsf-mcpu"},
                                                      {"lsf-djob-hostfile", "lsf"},
                                                      {"lsf-user-hostfile", "lsf-user"},
                                                      {"sge-pe-hostfile", "sge"}}};

void append_utf8(std::string& text, unsigned point) {
  if (point < 0x80) {
    text += static_cast<char>(point);
  } else if (point < 0x800) {
    text += static_cast<char>(0xc0 | (point >> 6));
    text += static_cast<char>(0x80 | (point & 0x3f));
  } else {
    text += static_cast<char>(0xe0 | (point >> 12));
    text += static_cast<char>(0x80 | ((point >> 6) & 0x3f));
    text += static_cast<char>(0x80 | (point & 0x3f));
  }
}

std::string unescaped(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const char c = text.front();
    text.remove_prefix(1);
    if (c != '\\') {
      result += c;
      continue;
    }
    CHECK(!text.empty());
    const char what = text.front();
    text.remove_prefix(1);
    if (what == 'u') {
      unsigned point = 0;
      CHECK(std::from_chars(text.data(), text.data() + 4, point, 16).ec == std::errc());
      append_utf8(result, point);
      text.remove_prefix(4);
      continue;
    }
    CHECK(std::string_view("nrt\\").find(what) != std::string_view::npos);
    result += what == 'n' ? '\n' : what == 'r' ? '\r' : what == 't' ? '\t' : '\\';
  }
  return result;
}

std::string host_answer(const HostEntry& entry) {
  std::string text = fmt::format("{}={}", entry.host,
                                 entry.slots ? std::to_string(*entry.slots) : std::string("auto"));
  if (entry.max) text += fmt::format("(max {})", *entry.max);
  if (!entry.slot_ids.empty()) text += fmt::format("{{{}}}", fmt::join(entry.slot_ids, ";"));
  return text;
}

std::string rank_answer(const RankEntry& entry) {
  std::string slots = entry.slots;
  std::ranges::replace(slots, ',', ';');
  return fmt::format("{}@{}{{{}}}", entry.rank, entry.host, slots);
}

}  // namespace

const Format& ListCase::format() const {
  std::string_view name = std::string_view(syntax).substr(0, syntax.find('+'));
  for (const SyntaxName& one : kSyntaxNames) {
    if (one.syntax == name) name = one.format;
  }
  const Format* format = find_format(name);
  CHECK(format != nullptr);
  return *format;
}

Question ListCase::question() const {
  Question question{.list = {.name = "list"}};
  Source* current = &question.list;
  std::string_view rest = input;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('\n'), rest.size() - 1) + 1;
    std::string_view line = rest.substr(0, end);
    rest.remove_prefix(end);
    const std::string_view mark = line.substr(0, line.find_first_of(" \n"));
    if (mark == "@file" || mark == "@rankfile") {
      current = &question.second.emplace(Source{.name = "second"});
    } else if (mark == "@args") {
      current = &question.args.emplace(Source{.name = "--args"});
    } else if (mark == "@tasks") {
      current = &question.tasks.emplace(Source{.name = "--tasks"});
    } else {
      current->text += line;
      continue;
    }
    line.remove_prefix(mark.size());
    current->text += trimmed(line.starts_with('\n') ? std::string_view() : line);
  }
  return question;
}

bool ListCase::accepts(std::string_view answer) const {
  std::string_view rest = expected;
  while (true) {
    const std::size_t end = rest.find(" OR ");
    if (rest.substr(0, end) == answer) return true;
    if (end == std::string_view::npos) return false;
    rest.remove_prefix(end + 4);
  }
}

std::vector<ListCase> parse_cases(std::string_view table) {
  std::vector<ListCase> cases;
  for (const std::string_view line : fields(table, '\n')) {
    if (line.empty() || line.starts_with("id\t")) continue;
    const auto columns = fields(line, '\t');
    CHECK_EQ(columns.size(), std::size_t{5});
    cases.push_back({std::string(columns[0]), std::string(columns[1]), unescaped(columns[2]),
                     std::string(columns[3]), std::string(columns[4])});
  }
  CHECK(!cases.empty());
  return cases;
}

const std::vector<ListCase>& own_cases() {
  static const std::vector<ListCase> all = [] {
    std::ifstream file(RINGMASTER_SOURCE_DIR "/tests/hostlists/cases.tsv", std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    CHECK(file.good());
    return parse_cases(text.str());
  }();
  return all;
}

std::string answer_of(const ListResult<HostList>& result) {
  if (!result) return "ERROR";
  std::vector<std::string> answers;
  if (!result->ranks.empty()) {
    for (const RankEntry& entry : result->ranks) answers.push_back(rank_answer(entry));
  } else {
    for (const HostEntry& entry : result->hosts) answers.push_back(host_answer(entry));
  }
  return fmt::format("{}", fmt::join(answers, ","));
}

}  // namespace ringmaster::hostlists
