// SPDX-License-Identifier: Apache-2.0
//
// What one job has to do with one peer: the tasks that send to it and those that receive from it,
// each in the order in which both ends have them, and how far they are.
//
// Pure; executor.h moves it.
#pragma once

#include <vector>

#include "collectives/tcp/link.h"

namespace ringmaster::collectives {

struct Lane {
  int peer = 0;            // position
  Link* link = nullptr;    // null: not connected yet
  bool neighbour = false;  // in the ring: what all must hear goes over it
  bool partner = false;    // of a message: hears that calls differ as a neighbour does

  std::vector<int> out = {}, in = {};  // indexes of tasks
  std::size_t out_at = 0, in_at = 0;

  bool chunk_out = false;  // what the link sends is a chunk
  bool admitted = false;   // the link's header was looked at in this job
  bool held = false;       // a chunk is in the link's room, and may not be reduced yet
  bool no_out = false;     // nothing can be sent
  bool no_in = false;      // nothing will be heard
  bool ahead = false;      // the next frame is for a later job
  bool news = false;       // the roll is to be told
  std::vector<std::byte> note_in = {}, note_out = {};

  bool all_sent() const { return out_at == out.size(); }
  bool all_received() const { return in_at == in.size(); }
  int out_front() const { return out[out_at]; }
  int in_front() const { return in[in_at]; }
};

}  // namespace ringmaster::collectives
