// SPDX-License-Identifier: Apache-2.0
//
// A host list as a value: which hosts, in the order in which ranks fill them, with how many slots.
//
// A host may stand there more than once, where the order of ranks says so (Hydra, rank layouts):
// ranks fill the entries one after the other. Whoever counts a host's slots adds its entries up.
//
// Pure.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "launcher/hostlist/list_error.h"

namespace ringmaster::launcher::hostlist {

/// More than any cluster has; what would be expanded beyond it is refused before it is expanded.
inline constexpr std::size_t kHostsMax = 1 << 20;
/// Of one host. A count beyond it is a slip of the keyboard, and sums of slots stay far from 2^63.
inline constexpr int kSlotsMax = 1'000'000;
/// Bytes of one text: a million hosts with long names.
inline constexpr std::size_t kTextMax = 64 << 20;

struct HostEntry {
  std::string host = {};           // a name, or an address without brackets
  std::optional<int> slots = {};   // nothing: known when the host has been looked at
  std::optional<int> max = {};     // never more ranks than this, however oversubscribed
  std::string user = {};           // the account there; "": the same as here
  std::optional<int> port = {};    // of ssh there
  std::vector<int> slot_ids = {};  // the GPUs that were kept; empty: all
  int line = 0;                    // where the text names it

  bool operator==(const HostEntry&) const = default;
};

/// A rank that a rank file puts on a host.
struct RankEntry {
  int rank = 0;
  std::string host = {};
  std::string slots = {};  // cores, as the file has them: "0,1", "1:0-1"; "": any
  int line = 0;

  bool operator==(const RankEntry&) const = default;
};

struct HostList {
  std::vector<HostEntry> hosts = {};
  std::vector<RankEntry> ranks = {};    // of a rank file, by rank; else empty
  std::string format = {};              // as which it was read
  std::vector<std::string> notes = {};  // what a user should be told, a line each

  /// Slots of all hosts together; hosts whose number is not known yet count nothing.
  long long slots() const;
  /// Hosts whose number of slots is not known yet.
  std::size_t unknown() const;
};

/// Collects the entries of one text. Every refusal has its place.
class HostTable {
 public:
  explicit HostTable(std::string_view file) : file_(file) {}

  /// One more entry, whatever stands there already.
  Refusal append(HostEntry entry, const Place& place);
  /// Adds the slots to the entry of that name; makes one when there is none. Both entries must have
  /// a number of slots, and the same user and port.
  Refusal add(HostEntry entry, const Place& place);
  /// The entry of that name, or null. It moves when entries are added.
  HostEntry* find(std::string_view host);
  /// The last entry, or null.
  HostEntry* find_last() { return hosts_.empty() ? nullptr : &hosts_.back(); }
  std::size_t size() const { return hosts_.size(); }

  /// The list, when there is a host in it and a slot to run on.
  ListResult<HostList> finish();

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const {
      return std::hash<std::string_view>{}(text);
    }
  };

  std::string_view file_;
  std::vector<HostEntry> hosts_;
  std::unordered_map<std::string, std::size_t, Hash, std::equal_to<>> places_;
};

}  // namespace ringmaster::launcher::hostlist
