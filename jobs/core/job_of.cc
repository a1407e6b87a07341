// SPDX-License-Identifier: Apache-2.0
#include "jobs/core/job_of.h"

namespace ringmaster::jobs {

namespace {

struct JobOf {
  template <class T>
  JobId operator()(const T& one) const {
    if constexpr (requires { one.job; }) return one.job;
    if constexpr (requires { one.id; }) return one.id.job;
    return {};
  }
};

}  // namespace

JobId job_of(const Event& event) {
  return std::visit(JobOf{}, event);
}
JobId job_of(const Action& action) {
  return std::visit(JobOf{}, action);
}

}  // namespace ringmaster::jobs
