// SPDX-License-Identifier: Apache-2.0
//
// Whether a program may call Open MPI, and so need a PMIx server, which costs what 50 ranks of
// `true` cost. Without one MPI_Init would succeed, and every rank would be rank 0 of 1.
//
// A binary says which libraries it wants, and they say which they want: that is read from the
// files, a few kilobytes each, without loading anything. What starts or loads other programs (a
// script, an interpreter, env) may do anything. Asking the dynamic linker (ldd) instead would run
// code of the program's for milliseconds.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace ringmaster::launcher {

enum class MpiNeed {
  no,     // a binary whose libraries hold no Open MPI
  maybe,  // it runs what is not known yet
  yes,    // it is linked with Open MPI or libpmix
};

/// `program` as it would be looked up on `path`. A program that is not there needs nothing: its
/// start will say so.
MpiNeed read_mpi_need(const std::string& program, const std::string& path);

/// What an ELF file says of the libraries that it wants.
struct Wanted {
  std::vector<std::string> libraries = {};  // "libmpi.so.40"
  std::vector<std::string> folders = {};    // where to look first, $ORIGIN not replaced
};

/// Pure: reads a whole ELF file of this machine's kind. An error for what is none, or is cut.
Result<Wanted> parse_wanted(std::string_view file);

/// Pure: "libmpi.so.40", "libpmix.so.2".
bool is_pmix_library(std::string_view name);

/// Pure: a shell, an interpreter, or something that starts another program, by its file name.
bool runs_others(std::string_view name);

}  // namespace ringmaster::launcher
