// SPDX-License-Identifier: Apache-2.0
//
// A session of a program that no launcher of ours has started: a world of one, or the ranks that
// Open MPI's launcher started, which use MPI.
#include <fmt/format.h>

#include <numeric>

#include "collectives/mpi_settings.h"
#include "collectives/solo_communicator.h"
#include "worker/elastic_session.h"

namespace ringmaster::worker {

Result<std::unique_ptr<ElasticSession>> ElasticSession::open_without_agent() {
  std::unique_ptr<ElasticSession> session(new ElasticSession(std::nullopt));
  if (collectives::read_mpi_place().ranks == 1) return session;
  auto mpi = collectives::MpiProcess::start();
  if (!mpi) return Error{mpi.error().code, "started by an MPI launcher: " + mpi.error().message};
  session->mpi_.emplace(std::move(*mpi));
  return session;
}

FormMessage ElasticSession::form_without_agent() const {
  FormMessage form{.generation = 1, .numbers = {0}, .reason = "no launcher"};
  if (!mpi_) return form;
  const auto place = collectives::read_mpi_place();
  form.position = static_cast<std::uint32_t>(place.rank);
  form.numbers.resize(static_cast<std::size_t>(place.ranks));
  std::iota(form.numbers.begin(), form.numbers.end(), 0U);
  form.reason = "started by an MPI launcher";
  return form;
}

Result<void> ElasticSession::make_engine_without_agent() {
  if (!mpi_) {
    communicator_.engine = std::make_unique<collectives::SoloCommunicator>();
    return {};
  }
  auto made = mpi_->make();
  if (!made) return made.error();
  const int ranks = collectives::read_mpi_place().ranks;
  if ((*made)->size() != ranks) {
    return Error{Errc::invalid, fmt::format("MPI has {} ranks, the environment says {}: is "
                                            "OMPI_COMM_WORLD_SIZE of another launch?",
                                            (*made)->size(), ranks)};
  }
  communicator_.engine = std::move(*made);
  return {};
}

}  // namespace ringmaster::worker
