// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <functional>
#include <set>

#include "tests/tidy/rules.h"

namespace ringmaster::tidy {
namespace {

using Words = std::set<std::string>;

/// Calls `found` for each word of the code that is in `words`.
void for_each_word(const SourceFile& file, const Words& words,
                   const std::function<void(std::size_t line, const std::string& word)>& found) {
  for (std::size_t i = 0; i < file.code.size(); ++i) {
    for (const std::string& word : words_of(file.code[i])) {
      if (words.contains(word)) found(i + 1, word);
    }
  }
}

/// Calls `found` for each line, comments and literals included, that holds one of `texts`.
void for_each_text(const SourceFile& file, const std::vector<std::string>& texts,
                   const std::function<void(std::size_t line, const std::string& text)>& found) {
  for (std::size_t i = 0; i < file.lines.size(); ++i) {
    for (const std::string& text : texts) {
      if (file.lines[i].find(text) != std::string::npos) found(i + 1, text);
    }
  }
}

}  // namespace

void check_coroutines(const SourceFile& file, const Tree&, Findings& findings) {
  for_each_word(file, {"co_await", "co_return", "co_yield"}, [&](auto line, auto& word) {
    findings.add(line, word + ": GCC 12 miscompiles coroutines; a conversation is states");
  });
}

void check_detached(const SourceFile& file, const Tree&, Findings& findings) {
  for_each_word(file, {"detach", "detached", "pthread_detach"}, [&](auto line, auto& word) {
    const bool called = file.code[line - 1].find(word + "(") != std::string::npos ||
                        file.code[line - 1].find("asio::" + word) != std::string::npos;
    if (called) findings.add(line, "nothing is detached: every operation has an owner");
  });
}

void check_threads(const SourceFile& file, const Tree&, Findings& findings) {
  const bool home = file.is_under("collectives") || file.is_under("worker/training") ||
                    file.is_under("benchmarks") || file.is_test() ||
                    file.name().starts_with("pool") || file.name().starts_with("notice_poll");
  if (home) return;
  for_each_word(file, {"thread", "jthread", "mutex", "condition_variable", "pthread_create"},
                [&](auto line, auto& word) {
                  const std::string& code = file.code[line - 1];
                  const bool used = code.find("std::" + word) != std::string::npos ||
                                    code.find(word + "(") != std::string::npos;
                  if (used) findings.add(line, "std::" + word + " outside the homes of threads");
                });
}

void check_environment(const SourceFile& file, const Tree&, Findings& findings) {
  const std::string name = file.name();
  const bool home = name.find("settings") != std::string::npos ||
                    name.find("contract") != std::string::npos || file.is_test();
  if (home) return;
  for_each_word(file, {"getenv", "secure_getenv"}, [&](auto line, auto& word) {
    findings.add(line, word + " outside a file named settings or contract");
  });
}

void check_leftovers(const SourceFile& file, const Tree&, Findings& findings) {
  // The words are put together here, so that this file may hold them.
  for_each_text(file, {std::string("FIX") + "ME", std::string("TO") + "DO"},
                [&](auto line, auto& text) {
                  findings.add(line, text + ": build it, or say it where users read");
                });
}

void check_replaced_words(const SourceFile& file, const Tree&, Findings& findings) {
  if (file.is_under("launcher/contracts")) return;
  const Words replaced = {"slave",     "slaves",      "node_id",     "node_rank",
                          "num_nodes", "num_workers", "n_workers",   "worker_id",
                          "world_id",  "worker_rank", "worker_count"};
  for_each_word(file, replaced, [&](auto line, auto& word) {
    findings.add(line, word + ": the words are host, agent, rank, number and position");
  });
}

void check_machine_paths(const SourceFile& file, const Tree&, Findings& findings) {
  const std::vector<std::string> paths = {std::string("/wo") + "rk/", std::string("/fa") + "rm/"};
  for_each_text(file, paths, [&](auto line, auto& path) {
    const std::string& text = file.lines[line - 1];
    // "x/work/" is a folder of somebody's; a path of a machine starts at the root.
    const std::size_t at = text.find(path);
    const bool rooted =
        at == 0 || std::string(" \t\"'=(<`:").find(text[at - 1]) != std::string::npos;
    if (rooted) findings.add(line, path + " is a path of one machine");
  });
}

}  // namespace ringmaster::tidy
