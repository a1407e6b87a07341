// SPDX-License-Identifier: Apache-2.0
#include "launcher/settings.h"

#include <cstdlib>
#include <sstream>

#include "launcher/exit_codes.h"
#include "launcher/hostlist/formats.h"

namespace ringmaster::launcher {

namespace {

/// An unknown option may take one as well: it is most likely a known one with a typo.
bool may_take_value(const Flags& flags, const std::string& word) {
  for (const Flag& flag : flags) {
    std::istringstream names{std::string(flag.names)};
    for (std::string name; std::getline(names, name, ',');) {
      if (name == word) return !std::holds_alternative<bool*>(flag.target);
    }
  }
  return word.find('=') == std::string::npos;
}

}  // namespace

bool asks_for_json(const Flags& flags, const std::vector<std::string>& arguments) {
  bool is_value = false;
  for (const std::string& word : arguments) {
    if (word == "--json") return true;
    if (!is_value && (word.empty() || word[0] != '-' || word == "--")) return false;
    is_value = !is_value && may_take_value(flags, word);
  }
  return false;
}

Flags ProgramSettings::flags() {
  return {
      {"-n,-np,--np", &ranks, "N",
       "ranks to start; not given: one for each slot of the hosts, GPU, or core",
       between(1, kRanksMost)},
      {"-wd,-wdir,--wd,--wdir", &directories, "DIR", "run the program in DIR"},
      {"-x,--env", &exports, "NAME[=VALUE]",
       "set a variable of the ranks, over everything else; repeatable"},
      {"--env-file", &env_files, "FILE",
       "set variables of the ranks: NAME=VALUE a line as it stands, or what env -0 writes"},
  };
}

Flags RunSettings::flags() {
  Flags all = program.flags();
  const Flags own = {
      {"-H,-host,--host,--hosts", &hosts, "LIST",
       "run on these hosts, as in n1:4,n2; picks from a hostfile or an allocation"},
      {"-f,-machinefile,--machinefile,-hostfile,--hostfile", &host_files, "FILE",
       "run on the hosts of FILE"},
      {"--hostfile-format", &host_file_format, "F", "which launcher's format FILE has",
       one_of(hostlist::format_names())},
      {"-rf,-rankfile,--rankfile", &rank_files, "FILE", "place each rank as FILE says"},
      {"-map-by,--map-by,--map", &map, "RULE",
       "fill a host before the next, give one to each in turn, or to NUMA domains in turn; topo: "
       "the "
       "GPUs with the fastest wires, in the order of a ring over them",
       one_of({"slot", "node", "numa", "topo"})},
      {"-c,--cpus-per-proc,--cpus-per-rank", &cores_per_rank, "N", "cores of its own for each rank",
       between(1, 1024)},
      {"-bind-to,--bind-to,--bind", &bind, "PLACE",
       "keep each rank on its cores, a core or a NUMA domain in turn; auto: what -c, --rankfile "
       "and --map numa or topo chose",
       one_of({"auto", "core", "numa", "none"})},
      {"-oversubscribe,--oversubscribe", &oversubscribe, "",
       "allow more ranks than slots, cores of their own, or GPUs"},
      {"-report-bindings,--report-bindings", &report_bindings, "",
       "say where each rank is bound, a line each"},
      {"--elastic", &elastic, "MIN:MAX",
       "go on when ranks die while MIN are left, replace them up to MAX"},
      {"--restarts", &restarts, "K",
       "when a rank fails, start all ranks again, so many times; with --elastic: replacements in "
       "all (ten)",
       between(0, 1000000)},
      {"--drill", &drills, "kill:R@S", "kill rank R when it has finished S steps; repeatable"},
      {"--timeout", &timeout_seconds, "S", "end the job after S seconds, with exit code 110",
       between(0.001, 31622400)},
      {"--no-progress-timeout", &no_progress_seconds, "S",
       "end the job, with exit code 93, when for S seconds no rank has written anything, finished "
       "a "
       "step of its session, or ended",
       between(0.1, 31622400)},
      {"--grace", &grace_seconds, "S",
       "seconds from the polite signal to SIGKILL; not given: 30, and 5 after Ctrl-C",
       between(0, 86400)},
      {"-stdin,--stdin", &input, "all|none|R",
       "which ranks read ringrun's standard input: rank R, all of them, or none"},
      {"-tag-output,--tag-output", &tag_output, "", "begin each line of a rank with its number"},
      {"-timestamp-output,--timestamp-output", &time_output, "",
       "begin each line with the moment at which it was whole"},
      {"--output-dir", &output_folder, "DIR",
       "write each rank's output to DIR/attempt_A/R/stdout.log and stderr.log as well"},
      {"--output-ranks", &output_ranks, "LIST",
       "pass on the output of these ranks only, as in 0,4-7; files get all"},
      {"--dry-run", &dry_run, "", "show what would be started and where, start nothing"},
      {"--json", &json, "", "the dry run and errors as JSON"},
  };
  all.insert(all.end(), own.begin(), own.end());
  return all;
}

bool wants_colours() {
  return std::getenv("NO_COLOR") == nullptr;
}

std::string run_help(RunSettings& settings) {
  return help_text(
             "ringrun [options] [--] PROGRAM [ARGUMENTS...] [: [options] PROGRAM ...]",
             "Starts N ranks of PROGRAM, passes their output on in whole lines, and ends with the "
             "exit code of\nthe first rank that failed. Each rank finds RANK, LOCAL_RANK, "
             "WORLD_SIZE, LOCAL_WORLD_SIZE,\nMASTER_ADDR and MASTER_PORT in its environment. When "
             "ringrun ends, nothing that it started is\nleft. Ranks run on this host; for a list "
             "with others there is --dry-run.\n\n"
             "A ':' separates several programs, whose ranks are numbered through; each has its own "
             "-np, -x,\n--env-file and --wdir, and all other options stand before the first. "
             "Behind a \"--\" the ':' is a\nword of the program.\n\n"
             "With --elastic, ranks that use the session library (worker/session.h, "
             "ringmaster_session.h)\nsurvive the loss of others: the ring closes, a replacement "
             "joins and gets the state.\n\nexit codes of ringrun itself: " +
                 exit_codes_text(),
             settings.flags(), "ringrun -np 4 --elastic 2:4 ringmaster-train --model cnn") +
         "  ringrun -np 2 python3 train.py\n"
         "  ringrun --as torchrun --nproc-per-node 2 train.py    (as a link named torchrun)\n"
         "  ringrun --as mpirun -np 2 ./solver                   (mpirun, mpiexec; --help: each)\n"
         "  ringrun --hostfile hosts.txt --map node -c 4 --dry-run ./solver\n";
}

}  // namespace ringmaster::launcher
