// SPDX-License-Identifier: Apache-2.0
//
// Host lists in all formats. The first line of an input says how it is asked: a format's name, then
// what stands beside the list, if anything; the rest is the list.
#include <algorithm>

#include "launcher/hostlist/check_list.h"
#include "launcher/hostlist/formats.h"
#include "launcher/hostlist/list_text.h"
#include "tests/fuzz/target.h"

namespace ringmaster::fuzz {

namespace {

using namespace launcher::hostlist;

/// Up to and without `end`, which is taken off as well.
std::string_view cut(std::string_view& text, char end) {
  const std::size_t at = std::min(text.find(end), text.size());
  const std::string_view part = text.substr(0, at);
  text.remove_prefix(std::min(at + 1, text.size()));
  return part;
}

void run(std::string_view input) {
  std::string_view head = cut(input, '\n');
  const Format* format = find_format(cut(head, '|'));
  if (format == nullptr) format = &formats()[input.size() % formats().size()];
  const std::string_view kind = cut(head, '|');
  Question question{.list = {"list", std::string(input)}};
  const Source beside{"beside", std::string(head)};
  if (kind == "tasks") question.tasks = beside;
  if (kind == "args") question.args = beside;
  if (kind == "and") {
    // A layout has lines of its own: they end where the list's blank line is.
    const std::size_t blank = std::min(input.find("\n\n"), input.size());
    question.second = Source{"beside", std::string(input.substr(0, blank))};
    question.list.text = input.substr(blank);
  }
  const auto result = read_host_list(*format, question);
  check_answer(result);
  if (!result) {
    CHECK(list_error_json(result.error()).starts_with("{\"error\":{"));
    return;
  }
  CHECK(list_json(*result).starts_with("{\"format\":"));
  CHECK(list_text(*result).ends_with('\n'));
}

}  // namespace

Target hostlist_target() {
  return {"hostlist",
          {"openmpi\nn1 slots=2 max_slots=4 # x\nkim@n2 port=22\n^n3\nn2\n/* y\n */ [fe80::1]\n",
           "openmpi|args|--host +n0:1,n2,+e:1\nn1 slots=2\nn2 slots=4\nn3\n",
           "openmpi|and|\n+n1 slots=1\n+e\n\nn1 slots=2\nn2 slots=4\n",
           "openmpi-host\nn1:4,n2,[fe80::1]:2,kim@n3:*\n",
           "hydra\nn1:2 user=kim\nn2 binding=rr\n",
           "deepspeed|args|--include n1:0,1@n2\nn1 slots=4\nn2 slots=2\n",
           "horovod\nn1:4, n2:4\n",
           "horovod-hostfile\nn1 slots=2\n",
           "slurm|tasks|2(x3),1\nr[0-1]b[07-08]\n",
           "slurm\nn[1-3,007],m\n",
           "pbs\nn1\nn2\nn1\n",
           "lsf-mcpu\nn1 4 n2 2\n",
           "lsf\nn1\nn1\n",
           "lsf-user\nn1 4\nn2\n",
           "sge\nn1 4 all.q@n1 UNDEFINED\nn2 1 all.q@n2 0-3\n",
           "rankfile|and|\nrank 0=+n1 slot=0-1\nrank 1=n1 slot=1:0,2\n\nn1 slots=2\nn2 slots=4\n",
           "user-host-port\nkim@n1:2222\n[fe80::1]:22\n",
           "auto\nn1:4\nn2:4\n",
           "auto\nt2,t1,t2\n",
           std::string("user-host-port\n[fe80::1\0]:22\n", 28)},
          &run,
          8000};
}

}  // namespace ringmaster::fuzz
