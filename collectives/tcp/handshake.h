// SPDX-License-Identifier: Apache-2.0
//
// The three messages with which a connection between two ranks opens:
//
//   hello     connector -> acceptor   magic, version, generation, from, to, nonce, proof
//   answer    acceptor -> connector   nonce, proof over the hello and this nonce
//   confirm   connector -> acceptor   proof over the hello and the answer; data may follow at once
//
// A proof is an HMAC-SHA256 with the job's secret. So a port scanner, another job's rank and a rank
// of an older generation cannot join, and because each side adds a nonce, a recorded hello cannot
// either. The data that follow are neither signed nor hidden: who can change packets between the
// hosts can change gradients; that is a network to be trusted, or a tunnel.
//
// All have fixed sizes and are little-endian. Pure: the nonces are arguments.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>

#include "collectives/tcp/sha256.h"

namespace ringmaster::collectives {

using Nonce = std::array<std::byte, 16>;

struct Hello {
  std::int64_t generation = 0;
  std::uint32_t from = 0;  // positions
  std::uint32_t to = 0;
  Nonce nonce{};
  friend bool operator==(const Hello&, const Hello&) = default;
};

inline constexpr std::size_t kHelloBytes = 72;
inline constexpr std::size_t kAnswerBytes = 48;
inline constexpr std::size_t kConfirmBytes = 32;
using HelloBytes = std::array<std::byte, kHelloBytes>;
using AnswerBytes = std::array<std::byte, kAnswerBytes>;
using ConfirmBytes = std::array<std::byte, kConfirmBytes>;

HelloBytes encode_hello(const Hello& hello, std::string_view secret);
/// Nothing when it is no hello of this version or the proof is wrong.
std::optional<Hello> decode_hello(const HelloBytes& bytes, std::string_view secret);

AnswerBytes make_answer(const HelloBytes& hello, const Nonce& nonce, std::string_view secret);
bool is_answer(const AnswerBytes& answer, const HelloBytes& hello, std::string_view secret);

ConfirmBytes make_confirm(const HelloBytes& hello, const AnswerBytes& answer,
                          std::string_view secret);
bool is_confirm(const ConfirmBytes& confirm, const HelloBytes& hello, const AnswerBytes& answer,
                std::string_view secret);

}  // namespace ringmaster::collectives
