// SPDX-License-Identifier: Apache-2.0
//
// The C ABI of the session: null checks and statuses over ElasticSession.
#include <algorithm>
#include <cstring>

#include "worker/elastic_session.h"

using ringmaster::Errc;
using ringmaster::Error;
using ringmaster::Result;
using ringmaster::collectives::to_status;
using ringmaster::worker::ElasticSession;

struct ringmaster_session {
  std::unique_ptr<ElasticSession> impl;
};

namespace {

ringmaster_status no_session(const char* call) {
  return to_status(Error{Errc::invalid, std::string(call) + ": the session is null"});
}

}  // namespace

ringmaster_status ringmaster_session_open(ringmaster_session** session) {
  if (session == nullptr) return no_session("session_open");
  *session = nullptr;
  auto opened = ElasticSession::open();
  if (!opened) return to_status(opened.error());
  *session = new ringmaster_session{std::move(*opened)};
  return RINGMASTER_OK;
}

ringmaster_status ringmaster_session_add_state(ringmaster_session* session, void* data,
                                               size_t bytes) {
  if (session == nullptr) return no_session("session_add_state");
  return to_status(session->impl->add_state(data, bytes));
}

ringmaster_status ringmaster_session_use_gpu(ringmaster_session* session, int device,
                                             void* stream) {
  if (session == nullptr) return no_session("session_use_gpu");
  return to_status(session->impl->use_gpu(device, stream));
}

const char* ringmaster_session_gpu_path(const ringmaster_session* session) {
  return session == nullptr ? "" : session->impl->gpu_path().c_str();
}

ringmaster_status ringmaster_session_join(ringmaster_session* session) {
  if (session == nullptr) return no_session("session_join");
  return to_status(session->impl->join());
}

ringmaster_communicator* ringmaster_session_communicator(ringmaster_session* session) {
  return session == nullptr ? nullptr : session->impl->communicator();
}

ringmaster_status ringmaster_session_generation(const ringmaster_session* session,
                                                ringmaster_generation* generation) {
  if (session == nullptr || generation == nullptr) return no_session("session_generation");
  // A caller built against an older, shorter struct gets the part that it knows.
  const std::size_t size = std::min(generation->size_of_struct, sizeof *generation);
  if (size < sizeof generation->size_of_struct) {
    return to_status(Error{Errc::invalid, "session_generation: set size_of_struct first"});
  }
  ringmaster_generation current = session->impl->generation();
  current.size_of_struct = size;
  std::memcpy(generation, &current, size);
  return RINGMASTER_OK;
}

int64_t ringmaster_session_steps(const ringmaster_session* session) {
  return session == nullptr ? 0 : session->impl->steps();
}

ringmaster_status ringmaster_session_step_finished(ringmaster_session* session) {
  if (session == nullptr) return no_session("session_step_finished");
  return to_status(session->impl->step_finished());
}

ringmaster_status ringmaster_session_finish(ringmaster_session* session) {
  if (session == nullptr) return no_session("session_finish");
  return to_status(session->impl->finish());
}

int ringmaster_session_fail(ringmaster_session* session, const char* message) {
  if (session == nullptr || message == nullptr) return 0;
  return session->impl->fail(message) ? 1 : 0;
}

void ringmaster_session_close(ringmaster_session* session) {
  delete session;
}
