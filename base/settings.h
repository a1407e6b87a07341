// SPDX-License-Identifier: Apache-2.0
//
// Flags, said once. A program's settings are a struct; its flags are a list with one line for each
// member: spelling, where the value goes, what it may be, and one sentence. The parser, --help and
// --print-config are all made from that list, so they cannot disagree.
//
//     struct TrainSettings { std::string model = "cnn"; std::int64_t epochs = 3; };
//     Flags flags = {{"--model", &s.model, "NAME", "which network", one_of({"mlp", "cnn"})},
//                    {"--epochs", &s.epochs, "N", "passes over the data", between(1, 1000)}};
//     Result<Parsed> parsed = parse_flags(flags, arguments, Rest::none);
//
// Not CLI11: it has no long options with one dash (-np, which every mpirun user types), and its
// header costs 1.6 s in each file that includes it.
//
// Pure: arguments in, values out; nothing is printed. Unknown, repeated, unparsable and
// out-of-bounds are errors that name the flag, with a suggestion for a typo.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.h"

namespace ringmaster {

/// What a flag's value may be. For text: one of `choices` when there are any. For numbers: within
/// [low, high].
struct Bounds {
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
  std::vector<std::string> choices = {};
};

Bounds between(double low, double high);
Bounds one_of(std::vector<std::string> choices);

/// Where a flag's value goes. A bool flag takes no value; a vector flag may be repeated.
using Target =
    std::variant<bool*, std::int64_t*, double*, std::string*, std::vector<std::string>*>;

struct Flag {
  std::string_view names;  // spellings, the one for people last: "-n,-np,--np"
  Target target;           // its value before parsing is the default shown in the help
  std::string_view value;  // the placeholder in the help ("N"); empty for a bool
  std::string_view doc;    // one sentence without a full stop
  Bounds bounds = {};
};
using Flags = std::vector<Flag>;

/// What may follow the flags.
enum class Rest {
  none,     // nothing: a word that is no flag is an error
  words,    // words, between or after the flags
  command,  // a command: the first word that is no flag ends our flags ("--" may stand before it)
};

struct Parsed {
  bool help = false;          // --help was there; nothing else was checked
  bool print_config = false;  // --print-config was there
  std::vector<std::string> rest = {};
};

/// Reads `arguments` (without the program's name) into the flags' targets. "--x=1" and "--x 1" are
/// the same. On an error the targets may be partly written: exit.
Result<Parsed> parse_flags(const Flags& flags, const std::vector<std::string>& arguments,
                           Rest rest);

/// The help page: usage line, what it is for, each flag with its default and bounds, an example.
std::string help_text(std::string_view usage, std::string_view purpose, const Flags& flags,
                      std::string_view example);

/// "--epochs 3" a line: the settings in force.
std::string config_text(const Flags& flags);

/// The word of `candidates` nearest to `word` when it is near enough to be a typo, else "".
std::string suggest(std::string_view word, const std::vector<std::string>& candidates);

}  // namespace ringmaster
