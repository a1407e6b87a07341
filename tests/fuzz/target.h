// SPDX-License-Identifier: Apache-2.0
//
// A fuzz target: a parser, valid examples of what it reads, and a function that throws any bytes at
// it and CHECKs what must hold of the answer.
//
// One table of values instead of a libFuzzer entry in each file, so that the same targets run in
// two ways: in every test run, with seeded mutations and any compiler (fuzz_test.cc), and for as
// long as one likes under clang's coverage-guided libFuzzer (entry.cc, scripts/fuzz).
//
// A violation aborts, as a failed CHECK does: that is how both of them learn of it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ringmaster::fuzz {

struct Target {
  std::string name;
  std::vector<std::string> corpus;      // valid inputs, and inputs that once broke something
  void (*run)(std::string_view input);  // returns when all is well
  int inputs = 2000;                    // how many an ordinary test run tries: below a second
};

Target announcements_target();
Target core_target();
Target cpus_target();
Target doctor_target();
Target door_target();
Target elf_target();
Target error_file_target();
Target flags_target();
Target frames_target();
Target hostlist_target();
Target idx_target();
Target lines_target();
Target manifest_target();
Target messages_target();
Target metrics_target();
Target packed_target();
Target peer_target();
Target places_target();
Target plan_target();
Target pmi_target();
Target processes_target();
Target records_target();
Target recovery_log_target();
Target safetensors_target();
Target snapshot_target();
Target spec_target();
Target tag_target();
Target topology_gpu_list_target();
Target topology_guessed_target();
Target topology_hwloc_xml_target();
Target topology_json_target();
Target topology_matrix_target();
Target topology_nccl_xml_target();
Target topology_sysfs_target();
Target variables_target();
Target wire_target();

const std::vector<Target>& targets();

/// The target of this name, or null.
const Target* find_target(std::string_view name);

}  // namespace ringmaster::fuzz
