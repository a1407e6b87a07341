// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "tests/fuzz/target.h"

namespace ringmaster::fuzz {

const std::vector<Target>& targets() {
  static const std::vector<Target> all = {
      announcements_target(),
      core_target(),
      cpus_target(),
      doctor_target(),
      door_target(),
      elf_target(),
      error_file_target(),
      flags_target(),
      frames_target(),
      hostlist_target(),
      idx_target(),
      lines_target(),
      manifest_target(),
      messages_target(),
      metrics_target(),
      packed_target(),
      peer_target(),
      places_target(),
      plan_target(),
      pmi_target(),
      processes_target(),
      records_target(),
      recovery_log_target(),
      safetensors_target(),
      snapshot_target(),
      spec_target(),
      tag_target(),
      topology_gpu_list_target(),
      topology_guessed_target(),
      topology_hwloc_xml_target(),
      topology_json_target(),
      topology_matrix_target(),
      topology_nccl_xml_target(),
      topology_sysfs_target(),
      variables_target(),
      wire_target(),
  };
  return all;
}

const Target* find_target(std::string_view name) {
  const auto at = std::find_if(targets().begin(), targets().end(),
                               [&](const Target& target) { return target.name == name; });
  return at == targets().end() ? nullptr : &*at;
}

}  // namespace ringmaster::fuzz
