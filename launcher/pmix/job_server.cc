// SPDX-License-Identifier: Apache-2.0
#include "launcher/pmix/job_server.h"

#include <fmt/format.h>
#include <pmix.h>
#include <pmix_server.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>

#include "base/file_descriptor.h"
#include "launcher/pmix/server_calls.h"

namespace ringmaster::launcher::pmix {

namespace {

constexpr int kPatienceMs = 10000;  // for the library's own thread to do what it was told

Error pmix_error(const std::string& what, pmix_status_t status) {
  return {Errc::io, fmt::format("{}: {}", what, PMIx_Error_string(status))};
}

/// What one asynchronous call has come to.
class Completion {
 public:
  Completion() : event_(::eventfd(0, EFD_CLOEXEC)) {}
  static void call_back(pmix_status_t status, void* self) {
    auto* completion = static_cast<Completion*>(self);
    completion->status_ = status;
    const std::uint64_t one = 1;
    static_cast<void>(::write(completion->event_.get(), &one, sizeof one));
  }
  pmix_status_t wait(pmix_status_t returned) {
    if (returned == PMIX_OPERATION_SUCCEEDED) return PMIX_SUCCESS;
    if (returned != PMIX_SUCCESS) return returned;
    pollfd ready{event_.get(), POLLIN, 0};
    return ::poll(&ready, 1, kPatienceMs) == 1 ? status_ : PMIX_ERR_TIMEOUT;
  }

 private:
  FileDescriptor event_;
  pmix_status_t status_ = PMIX_ERR_TIMEOUT;
};

/// Attributes of a call. The library copies what is put in.
class Attributes {
 public:
  void text(const char* key, const std::string& value, pmix_data_type_t type = PMIX_STRING) {
    PMIx_Info_load(&add(), key, value.c_str(), type);
  }
  void count(const char* key, std::uint32_t value) {
    PMIx_Info_load(&add(), key, &value, PMIX_UINT32);
  }
  void small(const char* key, std::uint16_t value) {
    PMIx_Info_load(&add(), key, &value, PMIX_UINT16);
  }
  void rank(const char* key, pmix_rank_t value) {
    PMIx_Info_load(&add(), key, &value, PMIX_PROC_RANK);
  }
  void array(const char* key, Attributes& others) {
    pmix_data_array_t data{PMIX_INFO, others.all_.size(), others.all_.data()};
    PMIx_Info_load(&add(), key, &data, PMIX_DATA_ARRAY);
  }
  pmix_info_t* data() { return all_.data(); }
  std::size_t size() const { return all_.size(); }

 private:
  pmix_info_t& add() {
    all_.emplace_back();
    std::memset(&all_.back(), 0, sizeof(pmix_info_t));
    return all_.back();
  }
  std::vector<pmix_info_t> all_;
};

/// "0,1,2,3".
std::string all_ranks(int ranks) {
  std::string text;
  for (int rank = 0; rank < ranks; ++rank) text += (rank > 0 ? "," : "") + std::to_string(rank);
  return text;
}

void add_maps(const JobToServe& job, Attributes& attributes) {
  char* hosts = nullptr;
  char* ranks = nullptr;
  if (PMIx_generate_regex(job.host.c_str(), &hosts) == PMIX_SUCCESS) {
    attributes.text(PMIX_NODE_MAP, hosts, PMIX_REGEX);
  }
  if (PMIx_generate_ppn(all_ranks(job.ranks).c_str(), &ranks) == PMIX_SUCCESS) {
    attributes.text(PMIX_PROC_MAP, ranks, PMIX_REGEX);
  }
  std::free(hosts);
  std::free(ranks);
}

/// A folder for each rank, or Open MPI would make its own somewhere in /tmp and leave it there when
/// it is killed.
Result<void> add_rank(const std::string& folder, int rank, Attributes& attributes) {
  const std::string own = fmt::format("{}/{}", folder, rank);
  if (::mkdir(own.c_str(), 0700) != 0) return errno_error(errno, "make the folder " + own);
  Attributes about;
  about.rank(PMIX_RANK, static_cast<pmix_rank_t>(rank));
  about.small(PMIX_LOCAL_RANK, static_cast<std::uint16_t>(rank));
  about.small(PMIX_NODE_RANK, static_cast<std::uint16_t>(rank));
  about.rank(PMIX_GLOBAL_RANK, static_cast<pmix_rank_t>(rank));
  about.count(PMIX_APPNUM, 0);
  about.text(PMIX_PROCDIR, own);
  attributes.array(PMIX_PROC_DATA, about);
  return {};
}

Result<void> register_job(const JobToServe& job) {
  const std::string folder = job.folder + "/ranks";
  if (::mkdir(folder.c_str(), 0700) != 0) return errno_error(errno, "make the folder " + folder);
  const auto ranks = static_cast<std::uint32_t>(job.ranks);
  Attributes attributes;
  add_maps(job, attributes);
  attributes.text(PMIX_JOBID, job.name);
  for (const char* key : {PMIX_JOB_SIZE, PMIX_UNIV_SIZE, PMIX_MAX_PROCS, PMIX_LOCAL_SIZE,
                          PMIX_NODE_SIZE, PMIX_APP_SIZE}) {
    attributes.count(key, ranks);
  }
  attributes.count(PMIX_NUM_NODES, 1);
  attributes.count(PMIX_JOB_NUM_APPS, 1);
  attributes.count(PMIX_NODEID, 0);
  attributes.rank(PMIX_LOCALLDR, 0);
  attributes.text(PMIX_LOCAL_PEERS, all_ranks(job.ranks));
  attributes.text(PMIX_TMPDIR, job.folder);
  attributes.text(PMIX_NSDIR, folder);
  for (int rank = 0; rank < job.ranks; ++rank) {
    auto added = add_rank(folder, rank, attributes);
    if (!added) return added.error();
  }
  Completion done;
  const auto status =
      done.wait(PMIx_server_register_nspace(job.name.c_str(), job.ranks, attributes.data(),
                                            attributes.size(), Completion::call_back, &done));
  if (status != PMIX_SUCCESS) return pmix_error("register the job with PMIx", status);
  return {};
}

Result<void> register_rank(const JobToServe& job, int rank) {
  pmix_proc_t process;
  PMIX_LOAD_PROCID(&process, job.name.c_str(), static_cast<pmix_rank_t>(rank));
  Completion done;
  const auto status = done.wait(PMIx_server_register_client(&process, ::getuid(), ::getgid(),
                                                            nullptr, Completion::call_back, &done));
  if (status != PMIX_SUCCESS) return pmix_error("register a rank with PMIx", status);
  return {};
}

Result<std::vector<std::string>> variables_of_ranks(const JobToServe& job) {
  pmix_proc_t process;
  PMIX_LOAD_PROCID(&process, job.name.c_str(), 0);
  char** environment = nullptr;
  const auto status = PMIx_server_setup_fork(&process, &environment);
  if (status != PMIX_SUCCESS) return pmix_error("ask PMIx for ranks' variables", status);
  std::vector<std::string> variables;
  for (char** variable = environment; variable != nullptr && *variable != nullptr; ++variable) {
    variables.emplace_back(*variable);
    std::free(*variable);
  }
  std::free(environment);
  return variables;
}

}  // namespace

Result<std::vector<std::string>> serve(const JobToServe& job) {
  Attributes attributes;
  attributes.text(PMIX_SERVER_TMPDIR, job.folder);
  attributes.text(PMIX_SYSTEM_TMPDIR, job.folder);
  attributes.text(PMIX_HOSTNAME, job.host);
  attributes.text(PMIX_SERVER_NSPACE, job.name + "-server");
  attributes.rank(PMIX_SERVER_RANK, 0);
  const auto status = PMIx_server_init(server_calls(), attributes.data(), attributes.size());
  if (status != PMIX_SUCCESS) return pmix_error("start a PMIx server", status);
  auto registered = register_job(job);
  for (int rank = 0; registered && rank < job.ranks; ++rank) registered = register_rank(job, rank);
  if (!registered) return registered.error();
  return variables_of_ranks(job);
}

}  // namespace ringmaster::launcher::pmix
