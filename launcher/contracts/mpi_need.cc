// SPDX-License-Identifier: Apache-2.0
#include "launcher/contracts/mpi_need.h"

#include <elf.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <set>

#include "base/file_descriptor.h"

namespace ringmaster::launcher {

namespace {

/// Libraries of one program that are looked at; more are not needed to find MPI near the top.
constexpr std::size_t kLibrariesMax = 200;

constexpr std::array<std::string_view, 8> kPmixLibraries = {
    "libmpi.so",    "libmpi_cxx.so",  "libmpi_mpifh.so", "libmpi_usempif08.so",
    "liboshmem.so", "libopen-rte.so", "libopen-pal.so",  "libpmix.so"};

/// They want nothing but each other, and every program wants them.
constexpr std::array<std::string_view, 9> kSystemLibraries = {
    "libc.so",      "libm.so",     "libpthread.so", "libdl.so",  "librt.so",
    "libstdc++.so", "libgcc_s.so", "ld-linux",      "libgomp.so"};

constexpr std::array<std::string_view, 40> kOtherRunners = {
    "sh",      "bash",    "dash",    "zsh",    "ksh",         "csh",
    "tcsh",    "fish",    "busybox", "env",    "nice",        "time",
    "timeout", "taskset", "numactl", "nohup",  "setsid",      "stdbuf",
    "strace",  "ltrace",  "gdb",     "perf",   "valgrind",    "valgrind.bin",
    "xterm",   "sudo",    "unshare", "chroot", "singularity", "apptainer",
    "docker",  "podman",  "srun",    "nsys",   "ncu",         "node",
    "Rscript", "R",       "octave",  "java"};

/// With a version behind it, or none.
constexpr std::array<std::string_view, 8> kInterpreters = {"python", "pypy", "perl",  "ruby",
                                                           "julia",  "lua",  "tclsh", "wish"};

constexpr std::array<std::string_view, 4> kLibraryFolders = {
#if defined(__x86_64__)
    "/usr/lib/x86_64-linux-gnu",
#else
    "/usr/lib/aarch64-linux-gnu",
#endif
    "/usr/local/lib", "/usr/lib64", "/usr/lib"};

/// A file that is mapped as long as this lives.
class MappedFile {
 public:
  explicit MappedFile(const std::string& path) {
    const FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    struct stat info = {};
    if (!file.valid() || ::fstat(file.get(), &info) != 0 || !S_ISREG(info.st_mode)) return;
    size_ = static_cast<std::size_t>(info.st_size);
    void* at =
        size_ > 0 ? ::mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, file.get(), 0) : MAP_FAILED;
    if (at != MAP_FAILED) data_ = static_cast<const char*>(at);
  }
  MappedFile(const MappedFile&) = delete;
  ~MappedFile() {
    if (data_ != nullptr) ::munmap(const_cast<char*>(data_), size_);
  }
  std::string_view bytes() const {
    return data_ != nullptr ? std::string_view(data_, size_) : std::string_view();
  }

 private:
  const char* data_ = nullptr;
  std::size_t size_ = 0;
};

/// The struct at `offset`, when all of it is in the file.
template <class Struct>
std::optional<Struct> struct_at(std::string_view file, std::uint64_t offset) {
  if (offset > file.size() || file.size() - offset < sizeof(Struct)) return std::nullopt;
  Struct value;
  std::memcpy(&value, file.data() + offset, sizeof value);
  return value;
}

/// Where in the file the address is; past the end when nowhere.
std::uint64_t offset_of(const std::vector<Elf64_Phdr>& segments, std::uint64_t address) {
  for (const Elf64_Phdr& one : segments) {
    const bool inside =
        one.p_type == PT_LOAD && address >= one.p_vaddr && address - one.p_vaddr < one.p_filesz;
    if (inside) return one.p_offset + (address - one.p_vaddr);
  }
  return ~std::uint64_t{0};
}

std::string text_at(std::string_view file, std::uint64_t offset) {
  if (offset >= file.size()) return "";
  const std::string_view rest = file.substr(offset);
  return std::string(rest.substr(0, std::min(rest.find('\0'), rest.size())));
}

std::vector<std::string> split_folders(std::string_view text) {
  std::vector<std::string> folders;
  for (std::size_t start = 0; start < text.size();) {
    const std::size_t end = std::min(text.find(':', start), text.size());
    if (end > start) folders.emplace_back(text.substr(start, end - start));
    start = end + 1;
  }
  return folders;
}

std::string base_name(std::string_view path) {
  return std::string(path.substr(path.rfind('/') + 1));
}

/// The file that `name` means on `path`, "" when none.
std::string look_up(const std::string& name, std::string_view path) {
  if (name.find('/') != std::string::npos) return name;
  for (const std::string& folder : split_folders(path)) {
    const std::string file = folder + "/" + name;
    if (::access(file.c_str(), X_OK) == 0) return file;
  }
  return "";
}

std::string find_library(const std::string& name, const std::vector<std::string>& folders,
                         const std::string& wanted_by) {
  const std::string origin = wanted_by.substr(0, wanted_by.rfind('/'));
  std::vector<std::string> all = folders;
  all.insert(all.end(), kLibraryFolders.begin(), kLibraryFolders.end());
  for (std::string folder : all) {
    for (const std::string_view mark : {"$ORIGIN", "${ORIGIN}"}) {
      const std::size_t at = folder.find(mark);
      if (at != std::string::npos) folder.replace(at, mark.size(), origin);
    }
    std::string file = folder + "/" + name;
    if (::access(file.c_str(), R_OK) == 0) return file;
  }
  return "";
}

bool is_one_of(std::string_view name, const auto& prefixes) {
  return std::any_of(prefixes.begin(), prefixes.end(),
                     [&](std::string_view prefix) { return name.starts_with(prefix); });
}

}  // namespace

bool is_pmix_library(std::string_view name) {
  // Intel's is called libmpi.so.12, too; Open MPI's has had 20, 40 and 80.
  if (name == "libmpi.so.12") return false;
  return is_one_of(name, kPmixLibraries);
}

bool runs_others(std::string_view name) {
  if (std::find(kOtherRunners.begin(), kOtherRunners.end(), name) != kOtherRunners.end()) {
    return true;
  }
  return std::any_of(kInterpreters.begin(), kInterpreters.end(), [&](std::string_view known) {
    return name.starts_with(known) &&
           name.find_first_not_of("0123456789.", known.size()) == std::string_view::npos;
  });
}

Result<Wanted> parse_wanted(std::string_view file) {
  const Error bad{Errc::corrupt, "no ELF file of this machine"};
  const auto header = struct_at<Elf64_Ehdr>(file, 0);
  if (!header || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0) return bad;
  if (header->e_ident[EI_CLASS] != ELFCLASS64 || header->e_ident[EI_DATA] != ELFDATA2LSB)
    return bad;
  std::vector<Elf64_Phdr> segments;
  std::optional<Elf64_Phdr> dynamic;
  for (std::uint64_t i = 0; i < header->e_phnum; ++i) {
    const auto segment = struct_at<Elf64_Phdr>(file, header->e_phoff + i * sizeof(Elf64_Phdr));
    if (!segment) return bad;
    segments.push_back(*segment);
    if (segment->p_type == PT_DYNAMIC) dynamic = segment;
  }
  Wanted wanted;
  if (!dynamic) return wanted;  // static
  std::vector<std::uint64_t> names, paths;
  std::uint64_t strings = ~std::uint64_t{0};
  for (std::uint64_t at = 0; at < dynamic->p_filesz; at += sizeof(Elf64_Dyn)) {
    const auto entry = struct_at<Elf64_Dyn>(file, dynamic->p_offset + at);
    if (!entry) return bad;
    if (entry->d_tag == DT_NULL) break;
    if (entry->d_tag == DT_NEEDED) names.push_back(entry->d_un.d_val);
    if (entry->d_tag == DT_RUNPATH || entry->d_tag == DT_RPATH) paths.push_back(entry->d_un.d_val);
    if (entry->d_tag == DT_STRTAB) strings = offset_of(segments, entry->d_un.d_ptr);
  }
  if (strings > file.size()) return bad;
  for (const std::uint64_t name : names) {
    if (name < file.size()) wanted.libraries.push_back(text_at(file, strings + name));
  }
  for (const std::uint64_t path : paths) {
    if (path >= file.size()) continue;
    for (std::string& folder : split_folders(text_at(file, strings + path))) {
      wanted.folders.push_back(std::move(folder));
    }
  }
  return wanted;
}

MpiNeed read_mpi_need(const std::string& program, const std::string& path) {
  const std::string file = look_up(program, path);
  if (runs_others(base_name(program))) return MpiNeed::maybe;
  std::vector<std::string> to_read = {file};
  std::set<std::string> seen;
  for (std::size_t i = 0; i < to_read.size() && i < kLibrariesMax; ++i) {
    const std::string name = to_read[i];
    const MappedFile mapped(name);
    const auto wanted = parse_wanted(mapped.bytes());
    // A script names its interpreter; what the kernel cannot run either will say so at its start.
    if (!wanted && i == 0) return mapped.bytes().starts_with("#!") ? MpiNeed::maybe : MpiNeed::no;
    if (!wanted) continue;
    for (const std::string& library : wanted->libraries) {
      if (is_pmix_library(library)) return MpiNeed::yes;
      if (is_one_of(library, kSystemLibraries) || !seen.insert(library).second) continue;
      std::string found = find_library(library, wanted->folders, name);
      if (!found.empty()) to_read.push_back(std::move(found));
    }
  }
  return MpiNeed::no;
}

}  // namespace ringmaster::launcher
