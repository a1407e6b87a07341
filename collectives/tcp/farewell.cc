// SPDX-License-Identifier: Apache-2.0
#include "collectives/tcp/farewell.h"

#include <algorithm>

namespace ringmaster::collectives {

namespace {

void say(Goodbye& goodbye, const Frame& last, const std::string& words) {
  if (goodbye.said) return;
  // A chunk that is half out goes first: the peer cannot find the next header otherwise.
  Io io = goodbye.link.push();
  if (io == Io::done && !goodbye.begun) {
    goodbye.link.start(last, reinterpret_cast<const std::byte*>(words.data()));
    goodbye.begun = true;
    io = goodbye.link.push();
  }
  if (io == Io::done || io == Io::gone) goodbye.said = true;
}

void hear(Goodbye& goodbye) {
  Link& link = goodbye.link;
  // Bounded, so that a peer with much to say does not keep the other one waiting.
  for (int frames = 0; frames < 16 && !goodbye.heard; ++frames) {
    Io io = link.pull_header();
    const bool last = link.frame() && link.frame()->kind == FrameKind::mismatch;
    // Of the next generation, which finds it there.
    if (link.frame() && link.frame()->kind == FrameKind::reunion) {
      goodbye.heard = true;
      return;
    }
    if (io == Io::done) io = link.pull_payload(nullptr);
    if (io == Io::gone || io == Io::damaged) goodbye.heard = true;
    if (io != Io::done) return;
    goodbye.heard |= last;
  }
}

bool is_over(const Goodbye& goodbye) {
  return goodbye.said && goodbye.heard;
}

}  // namespace

void say_goodbye(std::vector<Goodbye>& goodbyes, const Frame& last, const std::string& words,
                 const Alarm& alarm) {
  const Time until = read_clock() + kFarewellMax;
  for (;;) {
    for (Goodbye& goodbye : goodbyes) {
      say(goodbye, last, words);
      hear(goodbye);
    }
    const Duration left = until - read_clock();
    if (std::ranges::all_of(goodbyes, is_over) || left <= Duration{0} || alarm.raised()) return;
    std::vector<pollfd> fds;
    for (const Goodbye& goodbye : goodbyes) {
      if (!goodbye.said) fds.push_back({goodbye.link.fd(), POLLOUT, 0});
      if (!goodbye.heard) fds.push_back({goodbye.link.fd(), POLLIN, 0});
    }
    alarm.sleep(fds, left);
  }
}

}  // namespace ringmaster::collectives
