// SPDX-License-Identifier: Apache-2.0
//
// What libpmix asks of the launcher, as its table of functions. They tell the launcher
// (report_writer.h) and answer at once; what is not in the table, libpmix refuses for us.
//
// Thread rules: called from libpmix's thread.
#pragma once

#include <pmix_server.h>

namespace ringmaster::launcher::pmix {

pmix_server_module_t* server_calls();

}  // namespace ringmaster::launcher::pmix
