// SPDX-License-Identifier: Apache-2.0
#include "topology/read/archive.h"

#include <fmt/format.h>
#include <lzma.h>

#include <algorithm>
#include <array>
#include <charconv>

namespace ringmaster::topology {

namespace {

constexpr std::size_t kTarBlock = 512;
constexpr std::string_view kXzMagic(
    "\xFD"
    "7zXZ\0",
    6);
constexpr const char* kWantedTar = "an archive of /sys (tar -cJf) is wanted";

/// What is kept: the rest of a tree, such as processors' caches, is most of it.
constexpr std::array<std::string_view, 5> kKept = {"sys/bus/pci/devices/", "sys/class/net/",
                                                   "sys/class/infiniband/", "sys/devices/",
                                                   "proc/driver/nvidia/gpus/"};

/// A tar header's fields, by their places.
struct TarHeader {
  std::string_view block;

  std::string_view field(std::size_t at, std::size_t size) const {
    const std::string_view text = block.substr(at, size);
    return text.substr(0, text.find('\0'));
  }
  std::optional<std::size_t> size() const {
    std::string_view text = field(124, 12);
    while (text.starts_with(' ')) text.remove_prefix(1);
    while (text.ends_with(' ')) text.remove_suffix(1);
    std::size_t value = 0;
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value, 8);
    if (code != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return value;
  }
  char kind() const { return block[156]; }
  std::string name() const {
    const std::string_view prefix = block.substr(257, 5) == "ustar" ? field(345, 155) : "";
    return prefix.empty() || block[262] == ' ' ? std::string(field(0, 100))
                                               : fmt::format("{}/{}", prefix, field(0, 100));
  }
};

/// The value of a record such as "30 path=..\n" in a pax header.
std::string pax_value(std::string_view records, std::string_view key) {
  while (!records.empty()) {
    std::size_t length = 0;
    const auto [end, code] =
        std::from_chars(records.data(), records.data() + records.size(), length);
    const auto digits = static_cast<std::size_t>(end - records.data());
    if (code != std::errc() || length <= digits + 1 || length > records.size()) return "";
    const std::string_view record = records.substr(digits + 1, length - digits - 2);
    const std::size_t equal = record.find('=');
    if (record.substr(0, equal) == key && equal != std::string_view::npos) {
      return std::string(record.substr(equal + 1));
    }
    records.remove_prefix(length);
  }
  return "";
}

/// The path from "sys/" or "proc/" on, when it is one that is kept.
std::optional<std::string> kept_path(std::string_view path) {
  for (const std::string_view top : {"sys/", "proc/"}) {
    std::size_t at = path.starts_with(top) ? 0 : path.find(fmt::format("/{}", top));
    if (at == std::string_view::npos) continue;
    if (at != 0 || path.front() == '/') ++at;
    const std::string_view below = path.substr(at);
    const bool kept = std::any_of(kKept.begin(), kKept.end(),
                                  [&](auto folder) { return below.starts_with(folder); });
    const bool processors = below.starts_with("sys/devices/system/cpu");
    if (kept && !processors && below.find("/../") == std::string_view::npos) {
      return std::string(below);
    }
    return std::nullopt;
  }
  return std::nullopt;
}

struct TarReader {
  FileTree tree = {};
  std::string long_name = {}, long_link = {};  // of the next header, where it is too long for it

  bool add(const TarHeader& header, std::string_view body);
};

/// False when the tree is full.
bool TarReader::add(const TarHeader& header, std::string_view body) {
  switch (header.kind()) {
    case 'L':
      long_name = body.substr(0, body.find('\0'));
      return true;
    case 'K':
      long_link = body.substr(0, body.find('\0'));
      return true;
    case 'x':
      long_name = pax_value(body, "path");
      long_link = pax_value(body, "linkpath");
      return true;
    case '0':
    case '\0':
    case '2':
      break;
    default:
      return true;  // folders, devices
  }
  const auto path = kept_path(long_name.empty() ? header.name() : long_name);
  const std::string target = long_link.empty() ? std::string(header.field(157, 100)) : long_link;
  long_name.clear();
  long_link.clear();
  if (!path) return true;
  return header.kind() == '2' ? tree.add_link(*path, target) : tree.add_file(*path, body);
}

}  // namespace

bool is_xz(std::string_view bytes) {
  return bytes.starts_with(kXzMagic);
}

bool is_tar(std::string_view bytes) {
  return bytes.size() >= kTarBlock && bytes.substr(257, 5) == "ustar";
}

std::variant<std::string, Refusal> unpack_xz(std::string_view bytes) {
  constexpr std::uint64_t kDecoderBytesMax = 80U << 20;  // xz -9 asks for 65 MiB
  constexpr std::size_t kPiece = 1 << 16;
  lzma_stream stream = LZMA_STREAM_INIT;
  if (lzma_stream_decoder(&stream, kDecoderBytesMax, LZMA_CONCATENATED) != LZMA_OK) {
    return Refusal{"no memory for unpacking"};
  }
  stream.next_in = reinterpret_cast<const std::uint8_t*>(bytes.data());
  stream.avail_in = bytes.size();
  std::string text;
  lzma_ret result = LZMA_OK;
  while (result == LZMA_OK && text.size() <= kUnpackedBytesMax) {
    const std::size_t done = text.size();
    text.resize(done + kPiece);
    stream.next_out = reinterpret_cast<std::uint8_t*>(text.data() + done);
    stream.avail_out = kPiece;
    result = lzma_code(&stream, LZMA_FINISH);
    text.resize(done + kPiece - stream.avail_out);
  }
  lzma_end(&stream);
  if (text.size() > kUnpackedBytesMax) {
    return Refusal{fmt::format("it unpacks to more than {} MiB", kUnpackedBytesMax >> 20)};
  }
  if (result != LZMA_STREAM_END) return Refusal{"the xz file is damaged or cut", 0, kWantedTar};
  return text;
}

std::variant<FileTree, Refusal> read_tar(std::string_view bytes) {
  TarReader reader;
  while (bytes.size() >= kTarBlock && bytes.front() != '\0') {
    const TarHeader header{bytes.substr(0, kTarBlock)};
    const auto size = header.size();
    bytes.remove_prefix(kTarBlock);
    if (!size || *size > bytes.size())
      return Refusal{"the archive is damaged or cut", 0, kWantedTar};
    if (!reader.add(header, bytes.substr(0, *size))) {
      return Refusal{fmt::format("more than {} files", FileTree::kFilesMax), 0, kWantedTar};
    }
    const std::size_t blocks = (*size + kTarBlock - 1) / kTarBlock * kTarBlock;
    bytes.remove_prefix(std::min(blocks, bytes.size()));
  }
  if (reader.tree.empty()) return Refusal{"it holds no devices of /sys", 0, kWantedTar};
  return std::move(reader.tree);
}

}  // namespace ringmaster::topology
