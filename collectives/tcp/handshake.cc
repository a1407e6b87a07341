// SPDX-License-Identifier: Apache-2.0
#include "collectives/tcp/handshake.h"

#include <algorithm>
#include <vector>

#include "collectives/tcp/little_endian.h"

namespace ringmaster::collectives {

namespace {

constexpr std::uint32_t kHandshakeMagic = 0x50434d52;  // "RMCP"
constexpr std::uint32_t kHandshakeVersion = 1;
constexpr std::size_t kNonceAt = 24;
constexpr std::size_t kProofAt = 40;

/// The word in front keeps a proof of one kind from serving as another.
Digest prove(std::string_view word, std::span<const std::byte> first,
             std::span<const std::byte> second, std::string_view secret) {
  std::vector<std::byte> text;
  for (const char c : word) text.push_back(static_cast<std::byte>(c));
  text.insert(text.end(), first.begin(), first.end());
  text.insert(text.end(), second.begin(), second.end());
  return hmac_sha256(secret, text);
}

Digest hello_proof(const HelloBytes& bytes, std::string_view secret) {
  return prove("hello", std::span(bytes).first<kProofAt>(), {}, secret);
}

Digest answer_proof(const HelloBytes& hello, std::span<const std::byte> nonce,
                    std::string_view secret) {
  return prove("answer", hello, nonce, secret);
}

}  // namespace

HelloBytes encode_hello(const Hello& hello, std::string_view secret) {
  HelloBytes bytes{};
  put_u32(bytes.data(), kHandshakeMagic);
  put_u32(bytes.data() + 4, kHandshakeVersion);
  put_u64(bytes.data() + 8, static_cast<std::uint64_t>(hello.generation));
  put_u32(bytes.data() + 16, hello.from);
  put_u32(bytes.data() + 20, hello.to);
  std::ranges::copy(hello.nonce, bytes.begin() + kNonceAt);
  std::ranges::copy(hello_proof(bytes, secret), bytes.begin() + kProofAt);
  return bytes;
}

std::optional<Hello> decode_hello(const HelloBytes& bytes, std::string_view secret) {
  if (get_u32(bytes.data()) != kHandshakeMagic || get_u32(bytes.data() + 4) != kHandshakeVersion)
    return {};
  if (!equal(std::span(bytes).last<32>(), hello_proof(bytes, secret))) return {};
  Hello hello;
  hello.generation = static_cast<std::int64_t>(get_u64(bytes.data() + 8));
  hello.from = get_u32(bytes.data() + 16);
  hello.to = get_u32(bytes.data() + 20);
  std::copy_n(bytes.begin() + kNonceAt, hello.nonce.size(), hello.nonce.begin());
  return hello;
}

AnswerBytes make_answer(const HelloBytes& hello, const Nonce& nonce, std::string_view secret) {
  AnswerBytes bytes{};
  std::ranges::copy(nonce, bytes.begin());
  std::ranges::copy(answer_proof(hello, nonce, secret), bytes.begin() + nonce.size());
  return bytes;
}

bool is_answer(const AnswerBytes& answer, const HelloBytes& hello, std::string_view secret) {
  const auto nonce = std::span(answer).first<sizeof(Nonce)>();
  return equal(std::span(answer).last<32>(), answer_proof(hello, nonce, secret));
}

ConfirmBytes make_confirm(const HelloBytes& hello, const AnswerBytes& answer,
                          std::string_view secret) {
  return prove("confirm", hello, answer, secret);
}

bool is_confirm(const ConfirmBytes& confirm, const HelloBytes& hello, const AnswerBytes& answer,
                std::string_view secret) {
  return equal(confirm, make_confirm(hello, answer, secret));
}

}  // namespace ringmaster::collectives
