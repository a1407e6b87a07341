// SPDX-License-Identifier: Apache-2.0
//
// What ranks say to the PMI-1 server, in any order: no bytes make it answer who is not there,
// outgrow its limits, or end a line where none may end.
#include <algorithm>

#include "base/check.h"
#include "launcher/pmi/space.h"
#include "tests/fuzz/target.h"

namespace ringmaster::fuzz {

namespace {

constexpr int kRanks = 3;

void check(const launcher::pmi::Action& action) {
  const auto* send = std::get_if<launcher::pmi::Send>(&action);
  if (send == nullptr) return;
  CHECK_LE(0, send->rank);
  CHECK_LT(send->rank, kRanks);
  CHECK_EQ(std::count(send->text.begin(), send->text.end(), '\n'), std::ptrdiff_t{1});
  CHECK(send->text.ends_with('\n'));
  CHECK_LT(send->text.size(), std::size_t{launcher::pmi::kLineMax});
}

/// Each line is of the rank that its first byte names; "~" ends a rank.
void run(std::string_view input) {
  launcher::pmi::Space space(kRanks, "kvs", "(vector,(0,1,3))");
  while (!input.empty()) {
    const std::size_t end = std::min(input.find('\n'), input.size());
    const std::string_view line = input.substr(0, std::min(end, launcher::pmi::kLineMax));
    input.remove_prefix(std::min(end + 1, input.size()));
    if (line.empty()) continue;
    const int rank = static_cast<unsigned char>(line[0]) % kRanks;
    const auto actions =
        line.substr(1) == "~" ? space.on_ended(rank) : space.on_line(rank, line.substr(1));
    for (const auto& action : actions) check(action);
  }
}

}  // namespace

Target pmi_target() {
  const std::string init = "cmd=init pmi_version=1 pmi_subversion=1\n";
  const std::string all = "0" + init + "1" + init + "2" + init;
  return {
      "pmi",
      {all + "0cmd=put kvsname=kvs key=a value=b=c\n1cmd=get kvsname=kvs key=a\n"
             "0cmd=barrier_in\n1cmd=barrier_in\n2cmd=barrier_in\n",
       all + "1mcmd=spawn\n1nprocs=2\n1totspawns=1\n1spawnssofar=1\n1endcmd\n2~\n",
       all + "0cmd=abort exitcode=-7\n1cmd=finalize\n1~\n2cmd=publish_name service=s port=p\n",
       "0cmd=get_maxes\n1cmd=get kvsname=kvs key=PMI_process_mapping\n2cmd=get_universe_size\n"},
      &run,
      4000};
}

}  // namespace ringmaster::fuzz
