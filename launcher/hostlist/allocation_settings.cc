// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>

#include "launcher/hostlist/allocation.h"
#include "launcher/hostlist/read_source.h"

namespace ringmaster::launcher::hostlist {

Environment read_allocation_environment() {
  Environment environment;
  for (const std::string& name : allocation_variables()) {
    if (const char* value = std::getenv(name.c_str())) environment.emplace(name, value);
  }
  return environment;
}

ListResult<std::optional<Allocation>> read_allocation_here(const Environment& environment) {
  auto source = find_allocation(environment);
  if (!source) return source.error();
  if (!source->has_value()) return std::optional<Allocation>();
  AllocationSource& found = **source;
  if (!found.path.empty()) {
    auto text = read_source(found.path);
    if (!text) {
      return refusal(text.error().message, found.variable + " names this file")
          .at({.file = found.path});
    }
    found.question.list = std::move(*text);
  }
  auto allocation = read_allocation(std::move(found));
  if (!allocation) return allocation.error();
  return std::optional(std::move(*allocation));
}

}  // namespace ringmaster::launcher::hostlist
