// SPDX-License-Identifier: Apache-2.0
//
// A connection to another rank, in whole frames: one goes out, one comes in, and neither waits.
//
// The payload of a chunk goes straight from and to the array it belongs to. Headers, and what
// arrives with them, pass through a small buffer, so that a small frame costs one system call.
//
// A lost connection is no error here: who waits for the peer decides what it means.
//
// Thread rules: one thread.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "base/file_descriptor.h"
#include "collectives/tcp/frame.h"

namespace ringmaster::collectives {

/// What an attempt came to.
enum class Io {
  done,     // what was asked for is complete
  some,     // bytes moved, but not all
  blocked,  // nothing moved
  gone,     // the peer has closed or reset the connection
  damaged,  // it sent what no rank sends
};

class Link {
 public:
  /// `peer` is a position. The socket is non-blocking.
  Link(FileDescriptor fd, int peer) : fd_(std::move(fd)), peer_(peer) {}

  int fd() const { return fd_.get(); }
  int peer() const { return peer_; }
  /// In another generation it may have another position.
  void place(int peer) { peer_ = peer; }

  /// It can carry no more: the peer has closed it, or sent what no rank sends.
  bool broken() const { return broken_; }
  /// Bytes that the system has taken and the peer's has not.
  std::size_t unsent() const;

  /// Whether a frame has begun to go out and is not out.
  bool sending() const { return sent_ < kFrameBytes + payload_bytes_; }
  /// The payload (`frame.bytes`) stays where it is until sending() is false.
  void start(const Frame& frame, const std::byte* payload);
  Io push();

  /// The frame whose payload comes next, after pull_header() was done.
  const std::optional<Frame>& frame() const { return frame_; }
  /// `likely` bytes of payload are expected after it: a small one comes with it.
  Io pull_header(std::size_t likely = 0);
  /// Reads the payload of frame() to `to`, or nowhere when that is null. Done: frame() is empty.
  Io pull_payload(std::byte* to);

  /// Before the end: whether the peer has all that was sent, or has left. A socket that is closed
  /// with unread bytes drops what the system still holds.
  bool settled() const;

  /// Room for a chunk that is reduced when it is here; its memory stays with the link.
  std::byte* room() {
    room_.resize(kChunkBytes);
    return room_.data();
  }

 private:
  Io receive(std::byte* to, std::size_t bytes);
  /// What a failed send or receive, or a read of no bytes, means.
  Io failed(ssize_t result);

  FileDescriptor fd_;
  int peer_;
  bool broken_ = false;

  FrameBytes header_{};
  const std::byte* payload_ = nullptr;
  std::size_t payload_bytes_ = 0;
  std::size_t sent_ = kFrameBytes;  // of header and payload together

  /// A small array comes whole, with its header, in one call. What is read ahead of a large chunk
  /// is copied once more, and so is little.
  static constexpr std::size_t kAheadBytes = 12 * 1024;
  static constexpr std::size_t kAheadOfLarge = 4096;
  std::array<std::byte, kAheadBytes> ahead_{};  // read, and not yet taken: [begin, end)
  std::size_t ahead_begin_ = 0;
  std::size_t ahead_end_ = 0;
  std::optional<Frame> frame_;
  std::size_t received_ = 0;  // of the payload of frame_
  std::vector<std::byte> room_;
};

}  // namespace ringmaster::collectives
