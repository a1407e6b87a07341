// SPDX-License-Identifier: Apache-2.0
//
// A store in memory, with faults at the n-th call: what the tests of everything above a store run
// against.
//
// A fault is what a network or a dying process can do to one call: it fails before it had any
// effect, fails after its effect (the answer was lost), or leaves a part of the bytes (a store that
// tears). `crash` makes every later call fail as well: that writer is dead, and another one looks
// at what it left, through a second MemoryStore on the same objects.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>

#include "storage/object_store.h"

namespace ringmaster::storage {

enum class FaultKind { before, after, torn };

struct Fault {
  std::int64_t call = 0;  // which call it hits, counted from 0
  FaultKind kind = FaultKind::before;
  bool crash = false;  // whether all later calls fail too
};

class MemoryStore : public ObjectStore {
 public:
  using Objects = std::map<std::string, std::string>;

  MemoryStore() = default;
  /// Another client of the same objects, with faults of its own.
  explicit MemoryStore(std::shared_ptr<Objects> objects) : objects_(std::move(objects)) {}

  Result<void> put(const std::string& key, const Pieces& pieces) override;
  Result<void> create(const std::string& key, const Pieces& pieces) override;
  Result<std::string> read(const std::string& key, std::uint64_t offset,
                           std::uint64_t bytes) override;
  Result<std::vector<ObjectInfo>> list(const std::string& prefix) override;
  Result<void> remove(const std::string& key) override;

  void set_fault(Fault fault) { fault_ = fault; }
  std::int64_t calls() const { return calls_; }
  /// Which of them change something: a read that fails is the same fault whatever its kind.
  const std::set<std::int64_t>& changes() const { return changes_; }
  /// The objects themselves: tests damage them here.
  const std::shared_ptr<Objects>& objects() { return objects_; }

 private:
  /// Counts the call; what hits it, if anything does.
  std::optional<FaultKind> next_call(bool changes);
  Result<void> write(const std::string& key, const Pieces& pieces, std::optional<FaultKind> fault);

  std::shared_ptr<Objects> objects_ = std::make_shared<Objects>();
  std::optional<Fault> fault_ = {};
  std::int64_t calls_ = 0;
  std::set<std::int64_t> changes_ = {};
};

}  // namespace ringmaster::storage
