// SPDX-License-Identifier: Apache-2.0
#include "launcher/pmix/server_calls.h"

#include <fmt/format.h>

#include <cstdlib>
#include <cstring>

#include "launcher/pmix/report_writer.h"

namespace ringmaster::launcher::pmix {

namespace {

pmix_status_t on_connected(const pmix_proc_t* process, void*, pmix_info_t*, std::size_t,
                           pmix_op_cbfunc_t done, void* data) {
  report(Report::connected, std::to_string(process->rank));
  if (done != nullptr) done(PMIX_SUCCESS, data);
  return PMIX_SUCCESS;
}

pmix_status_t on_finalized(const pmix_proc_t* process, void*, pmix_op_cbfunc_t done, void* data) {
  report(Report::finalized, std::to_string(process->rank));
  if (done != nullptr) done(PMIX_SUCCESS, data);
  return PMIX_SUCCESS;
}

/// Which ranks are meant does not matter: MPI promises to end all of them.
pmix_status_t on_aborted(const pmix_proc_t* process, void*, int status, const char*, pmix_proc_t*,
                         std::size_t, pmix_op_cbfunc_t done, void* data) {
  report(Report::aborted, fmt::format("{} {}", process->rank, status));
  if (done != nullptr) done(PMIX_SUCCESS, data);
  return PMIX_SUCCESS;
}

/// All ranks are this server's: what they have gathered is the whole.
pmix_status_t on_fence(const pmix_proc_t*, std::size_t, const pmix_info_t*, std::size_t,
                       char* bytes, std::size_t size, pmix_modex_cbfunc_t done, void* data) {
  if (done != nullptr) done(PMIX_SUCCESS, bytes, size, data, std::free, bytes);
  return PMIX_SUCCESS;
}

pmix_status_t on_spawn(const pmix_proc_t* process, const pmix_info_t*, std::size_t,
                       const pmix_app_t*, std::size_t, pmix_spawn_cbfunc_t, void*) {
  report(Report::spawn_refused, std::to_string(process->rank));
  return PMIX_ERR_NOT_SUPPORTED;
}

pmix_status_t on_register_events(pmix_status_t*, std::size_t, const pmix_info_t*, std::size_t,
                                 pmix_op_cbfunc_t, void*) {
  return PMIX_OPERATION_SUCCEEDED;
}

pmix_status_t on_deregister_events(pmix_status_t*, std::size_t, pmix_op_cbfunc_t, void*) {
  return PMIX_OPERATION_SUCCEEDED;
}

}  // namespace

pmix_server_module_t* server_calls() {
  static pmix_server_module_t calls = [] {
    pmix_server_module_t table;
    std::memset(&table, 0, sizeof table);
    table.client_connected2 = on_connected;
    table.client_finalized = on_finalized;
    table.abort = on_aborted;
    table.fence_nb = on_fence;
    table.spawn = on_spawn;
    table.register_events = on_register_events;
    table.deregister_events = on_deregister_events;
    return table;
  }();
  return &calls;
}

}  // namespace ringmaster::launcher::pmix
