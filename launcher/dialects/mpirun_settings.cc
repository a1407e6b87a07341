// SPDX-License-Identifier: Apache-2.0
#include "launcher/dialects/mpirun_settings.h"

#include <algorithm>
#include <array>

#include "launcher/settings.h"

namespace ringmaster::launcher {

namespace {

constexpr std::array<std::string_view, 4> kPairs = {"-mca", "--mca", "-env", "-genv"};

/// 1 where a value follows the word, else 0.
std::size_t values_behind(const Flags& flags, const std::string& word) {
  for (const Flag& flag : flags) {
    for (std::string_view names = flag.names; !names.empty();) {
      const std::size_t comma = names.find(',');
      if (names.substr(0, comma) == word) return std::holds_alternative<bool*>(flag.target) ? 0 : 1;
      names.remove_prefix(comma == std::string_view::npos ? names.size() : comma + 1);
    }
  }
  return 0;
}

}  // namespace

Flags MpirunProgram::flags() {
  return {
      {"-c,--c,-n,--n,-np,--np", &ranks, "N",
       "ranks; not given: one for each slot of the hosts, or for each core",
       between(1, kRanksMost)},
      {"-wd,-wdir,--wd,--wdir", &directories, "DIR", "run the program in DIR"},
      {"-x,-env,-genv", &exports, "NAME[=VALUE]",
       "set a variable of the ranks; repeatable. MPICH's -env NAME VALUE, too"},
      {"-mca,--mca", &parameters, "NAME VALUE", "set OMPI_MCA_NAME for the ranks; repeatable"},
  };
}

Flags MpirunSettings::flags() {
  Flags all = program.flags();
  const Flags own = {
      {"-H,-hosts,-host,--host", &hosts, "LIST", "run on these hosts, as in n1:4,n2"},
      {"-f,-machinefile,--machinefile,-hostfile,--hostfile", &host_files, "FILE",
       "run on the hosts of FILE"},
      {"-rf,-rankfile,--rankfile", &rank_files, "FILE", "place each rank as FILE says"},
      {"-map-by,--map-by", &map, "RULE",
       "slot, core, node or numa; behind a colon PE=N (cores for each rank), OVERSUBSCRIBE; or "
       "ppr:N:node"},
      {"-rank-by,--rank-by", &rank_by, "RULE", "how ranks are numbered", one_of({"slot", "core"})},
      {"-bind-to,--bind-to", &bind, "PLACE", "core, numa or none; core:N gives each rank N cores"},
      {"-cpus-per-proc,--cpus-per-proc,-cpus-per-rank,--cpus-per-rank", &cores, "N",
       "cores of its own for each rank", between(1, 1024)},
      {"-ppn,-N,-npernode,--npernode", &per_host, "N", "ranks on each host",
       between(1, kRanksMost)},
      {"-pernode,--pernode", &one_per_host, "", "one rank on each host"},
      {"-oversubscribe,--oversubscribe", &oversubscribe, "",
       "allow more ranks than slots or cores"},
      {"-nooversubscribe,--nooversubscribe", &no_oversubscribe, "", "do not (as it is anyway)"},
      {"-report-bindings,--report-bindings", &report_bindings, "", "say where each rank is bound"},
      {"-tag-output,--tag-output", &tag_output, "", "begin lines as in [1,0]<stdout>:"},
      {"-timestamp-output,--timestamp-output", &time_output, "", "begin lines with the time"},
      {"-output-filename,--output-filename", &files, "DIR",
       "write output to DIR/1/rank.R/stdout and stderr as well"},
      {"-merge-stderr-to-stdout,--merge-stderr-to-stdout", &merged, "",
       "show standard error of ranks on standard output"},
      {"-stdin,--stdin", &input, "all|none|R", "which ranks read standard input"},
      {"-timeout,--timeout", &timeout_seconds, "S", "end the job after S seconds, with code 110",
       between(1, 31622400)},
      {"-allow-run-as-root,--allow-run-as-root", &allow_root, "", "root may (as it may anyway)"},
      {"-q,--quiet", &quiet, "", "no remarks before the start"},
      {"-v,--verbose", &verbose, "", "say the line in ringrun's own words"},
      {"-display-map,--display-map", &display_map, "", "show where each rank is, then start"},
      {"-do-not-launch,--do-not-launch", &no_launch, "", "show where each rank is, start nothing"},
  };
  all.insert(all.end(), own.begin(), own.end());
  return all;
}

const std::vector<RefusedOption>& mpirun_refusals() {
  static const std::vector<RefusedOption> all = {
      {"-V,-version,--version", "", "this is ringrun; ringmaster version says which"},
      {"-am,--am,-tune,--tune", "FILE", "write the parameters as --mca NAME VALUE, or export them"},
      {"-gmca,--gmca", "NAME", "use --mca NAME VALUE, which all ranks of a program get"},
      {"-genvlist,-envlist", "NAMES", "use -x NAME for each"},
      {"-genvall,-envall", "", "ranks get the whole environment anyway"},
      {"-bynode,--bynode", "", "use --map-by node"},
      {"-byslot,--byslot", "", "use --map-by slot"},
      {"-bind-to-core,--bind-to-core", "", "use --bind-to core"},
      {"-bind-to-none,--bind-to-none", "", "use --bind-to none"},
      {"-bind-to-socket,--bind-to-socket", "", "use --bind-to numa"},
      {"-npersocket,--npersocket", "N", "use -np N and --map-by numa"},
      {"-cpu-set,--cpu-set,-cpu-list,--cpu-list", "LIST",
       "start it below taskset -c LIST, or write a rank file"},
      {"-slot-list,--slot-list", "LIST", "use --rankfile, which names cores for each rank"},
      {"-use-hwthread-cpus,--use-hwthread-cpus", "", "use --oversubscribe"},
      {"-nolocal,--nolocal", "", "ranks are started on this host only"},
      {"-preload-binary,--preload-binary,-preload-files,--preload-files", "",
       "ranks are started on this host only, where the files are"},
      {"-prefix,--prefix", "DIR", "the ranks' own MPI is used; set PATH and LD_LIBRARY_PATH"},
      {"-path,--path", "DIRS", "use -x PATH=DIRS:$PATH, or the program's whole path"},
      {"-launch-agent,--launch-agent,-launcher", "CMD", "ranks are started on this host only"},
      {"-iface", "NAME", "ranks of one host meet in memory; use --mca btl_tcp_if_include NAME"},
      {"-outfile-pattern,-errfile-pattern", "PATTERN", "use --output-filename DIR"},
      {"-l,-prepend-rank", "", "use --tag-output"},
      {"-xterm,--xterm", "RANKS", "use ringrun --output-ranks, or --output-filename"},
      {"-enable-recovery,--enable-recovery,-continuous,--continuous", "",
       "use ringrun --elastic MIN:MAX, which replaces lost ranks"},
      {"-max-restarts,--max-restarts", "K", "use ringrun --restarts K"},
      {"-display-allocation,--display-allocation,-display-devel-map,--display-devel-map", "",
       "use --display-map"},
      {"-display-topo,--display-topo", "", "use lstopo"},
      {"-report-pid,--report-pid,-report-uri,--report-uri", "FILE",
       "start it with a shell's &, whose $! is the pid"},
      {"-get-stack-traces,--get-stack-traces", "", "use gdb -p PID"},
      {"-tv,--tv,-debug,--debug", "", "start the debugger as the program: mpirun -np 2 gdb ..."},
      {"-ompi-server,--ompi-server,-dvm,--dvm,-hnp,--hnp", "URI", "there are no servers to join"},
      {"-personality,--personality", "NAME",
       "programs of Open MPI and MPICH find both; leave it out"},
  };
  return all;
}

std::vector<std::string> join_pairs(const Flags& flags, const std::vector<std::string>& words) {
  std::vector<std::string> joined;
  std::size_t at = 0;
  while (at < words.size() && words[at].size() > 1 && words[at][0] == '-' && words[at] != "--") {
    const std::string& word = words[at];
    const std::size_t left = words.size() - at - 1;
    const bool is_pair = std::find(kPairs.begin(), kPairs.end(), word) != kPairs.end();
    if (is_pair && left >= 2) {
      joined.push_back(word);
      joined.push_back(words[at + 1] + "=" + words[at + 2]);
      at += 3;
      continue;
    }
    const std::size_t taken = 1 + std::min(left, values_behind(flags, word));
    joined.insert(joined.end(), words.begin() + static_cast<std::ptrdiff_t>(at),
                  words.begin() + static_cast<std::ptrdiff_t>(at + taken));
    at += taken;
  }
  joined.insert(joined.end(), words.begin() + static_cast<std::ptrdiff_t>(at), words.end());
  return joined;
}

std::string mpirun_help() {
  MpirunSettings settings;
  return help_text("ringrun --as mpirun [options] PROGRAM [ARGUMENTS...] [: [options] PROGRAM ...]",
                   "Starts an MPI program's ranks on this host as mpirun does: a rank for each "
                   "core where no number is\ngiven, no more ranks than cores or slots without "
                   "--oversubscribe, and the exit code of the first\nrank that failed. Behind a "
                   "':' stand -np, -x, --mca and --wdir of the next program.",
                   settings.flags(), "ringrun --as mpirun -np 2 --bind-to core ./solver") +
         "\n" + refusals_text(mpirun_refusals());
}

}  // namespace ringmaster::launcher
