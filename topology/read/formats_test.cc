// SPDX-License-Identifier: Apache-2.0
//
// Descriptions of real machines, with what a right reader gets out of each. They are not part of
// the project: where ../shared/data stands beside the checkout they are read, else this is skipped.
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "base/random.h"
#include "base/sanitized.h"
#include "topology/numbers.h"
#include "topology/read/formats.h"
#include "topology/read/test_machine.h"
#include "topology/show/notes.h"
#include "topology/show/show.h"

namespace ringmaster::topology {
namespace {

const std::string kCorpus = RINGMASTER_SOURCE_DIR "/../shared/data/topologies/";

std::string text_of_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

std::vector<std::string> split_at(const std::string& text, char between) {
  std::vector<std::string> parts;
  std::stringstream stream(text);
  for (std::string part; std::getline(stream, part, between);) parts.push_back(part);
  return parts;
}

/// A line of facts.tsv.
struct Facts {
  std::string file, gpus, fabric;
  std::vector<std::string> ids, links, numa, nics;
};

std::vector<Facts> all_facts() {
  std::vector<Facts> all;
  std::stringstream lines(text_of_file(kCorpus + "facts.tsv"));
  std::string line;
  std::getline(lines, line);  // the heads
  while (std::getline(lines, line)) {
    auto column = split_at(line, '\t');
    column.resize(8);
    all.push_back({column[0], column[1], column[4], split_at(column[2], ' '),
                   split_at(column[5], ' '), split_at(column[6], ' '), split_at(column[7], ' ')});
  }
  return all;
}

/// The places of the machine's GPUs in the order in which the facts count them.
std::vector<std::size_t> places_of(const Facts& facts, const Topology& machine) {
  std::vector<std::size_t> places;
  for (const std::string& id : facts.ids) {
    for (std::size_t i = 0; i < machine.gpus.size(); ++i) {
      const Gpu& gpu = machine.gpus[i];
      const std::size_t slash = id.find("/dev");
      const bool same =
          gpu.bus_id ? gpu.bus_id == id.substr(0, slash) : id == "GPU" + std::to_string(gpu.index);
      if (!same) continue;
      places.push_back(i);
      if (slash != std::string::npos) {
        EXPECT_EQ(id.substr(slash + 4), std::to_string(gpu.index)) << id;
      }
    }
  }
  EXPECT_EQ(places.size(), facts.ids.size());
  return places;
}

void check_fabric(const Facts& facts, const Topology& machine) {
  std::string fabric = facts.fabric;
  if (fabric.empty() || fabric == "none stated" || fabric.starts_with("one pair")) {
    fabric = "unknown";
  }
  if (fabric == "none shown") {
    fabric = facts.file.find("topo-mp") == std::string::npos ? "none" : "unknown";
  }
  EXPECT_EQ(fabric_name(machine.fabric), fabric);
}

void check_links(const Facts& facts, const Topology& machine,
                 const std::vector<std::size_t>& places) {
  std::set<std::string> stated(facts.links.begin(), facts.links.end()), read;
  std::map<int, std::size_t> number;
  for (std::size_t i = 0; i < places.size(); ++i) number[machine.gpus[places[i]].index] = i;
  for (const Link& link : machine.links) {
    const auto [a, b] = std::minmax(number[link.a], number[link.b]);
    read.insert(std::to_string(a) + "-" + std::to_string(b) + ":" + std::to_string(link.count));
  }
  EXPECT_EQ(read, stated);
}

void check_numa(const Facts& facts, const Topology& machine,
                const std::vector<std::size_t>& places) {
  for (std::size_t i = 0; i < facts.numa.size(); ++i) {
    const auto first = parse_number(facts.numa[i].substr(0, facts.numa[i].find(',')), 0, 999);
    const auto& numa = machine.gpus[places[i]].numa;
    EXPECT_EQ(numa.value_or(-1), first.value_or(-1)) << "GPU " << i;
  }
}

/// The nearest class of the NICs to a GPU, as the facts name it, and those that have it.
std::string nearest(const Topology& machine, std::size_t gpu, bool xml) {
  std::map<std::string, std::string> names;
  bool unknown = false;
  const std::vector<std::pair<PathClass, std::string>> order = {
      {PathClass::pix, xml ? "same-switch" : "PIX"},
      {PathClass::pxb, xml ? "same-switch" : "PXB"},
      {PathClass::phb, xml ? "same-NUMA" : "PHB"},
      {PathClass::node, xml ? "same-NUMA" : "NODE"}};
  for (const Nic& nic : machine.nics) {
    unknown = unknown || !nic.paths[gpu];
    for (const auto& [kind, name] : order) {
      if (nic.paths[gpu] != Path{kind, 0}) continue;
      const bool again = !names[name].empty();
      // The facts shorten a second bus id of one switch.
      names[name] += (again ? "/" : ":") + nic.name;
    }
  }
  for (const auto& [kind, name] : order) {
    if (!names[name].empty()) return name + names[name];
  }
  return unknown ? "?" : xml ? "far" : "SYS";
}

class Corpus : public testing::Test {
 protected:
  void SetUp() override {
    if (!std::ifstream(kCorpus + "facts.tsv")) GTEST_SKIP() << kCorpus << " is not there";
  }
};

TEST_F(Corpus, EveryFileGivesItsFacts) {
  for (const Facts& facts : all_facts()) {
    SCOPED_TRACE(facts.file);
    const Answer answer = read_topology("auto", text_of_file(kCorpus + facts.file));
    if (facts.gpus == "ERROR") {
      ASSERT_TRUE(std::holds_alternative<Refusal>(answer));
      EXPECT_GT(std::get<Refusal>(answer).line, 0);
      continue;
    }
    const Topology machine = machine_of(answer);
    EXPECT_EQ(std::to_string(machine.gpus.size()), facts.gpus);
    const bool cut = facts.file.find("-cut") != std::string::npos;
    EXPECT_EQ(machine.missing.empty(), !cut);
    const auto places = places_of(facts, machine);
    if (testing::Test::HasFailure()) return;
    check_fabric(facts, machine);
    check_links(facts, machine, places);
    check_numa(facts, machine, places);
    for (std::size_t i = 0; i < facts.nics.size(); ++i) {
      EXPECT_EQ(nearest(machine, places[i], facts.file.starts_with("xml")), facts.nics[i]);
    }
    EXPECT_EQ(machine_of(read_topology("json", topology_json(machine))), machine);
  }
}

/// One edit of the kinds that break readers.
std::string damaged(std::string text, Random& random) {
  const std::size_t at = random.below(text.size());
  const std::size_t length = 1 + random.below(200);
  switch (random.below(5)) {
    case 0:
      return text.substr(0, at);
    case 1:
      text[at] = static_cast<char>(random.below(256));
      return text;
    case 2:
      return text.insert(at, text.substr(random.below(text.size()), length));
    case 3:
      return text.erase(at, length);
    default:
      return text.insert(at, std::string(length, "9\t<\"f"[random.below(5)]));
  }
}

TEST_F(Corpus, NoDamageBreaksAReader) {
  const int mutations = kSanitized ? 20 : 200;
  Random random(1);
  for (const Facts& facts : all_facts()) {
    SCOPED_TRACE(facts.file);
    const std::string text = text_of_file(kCorpus + facts.file);
    for (int i = 0; i < mutations; ++i) {
      std::string mutant = damaged(text, random);
      if (i % 3 == 0 && !mutant.empty()) mutant = damaged(std::move(mutant), random);
      const Answer answer = read_topology("auto", mutant);
      if (const auto* machine = std::get_if<Topology>(&answer)) {
        EXPECT_FALSE(summary_text(*machine).empty());
        // As texts: bytes that are no UTF-8 are replaced when they are written.
        const std::string json = topology_json(*machine);
        EXPECT_EQ(topology_json(machine_of(read_topology("json", json))), json);
        if (nccl_xml(*machine)) machine_of(read_topology("nccl-xml", *nccl_xml(*machine)));
      } else {
        EXPECT_FALSE(std::get<Refusal>(answer).what.empty());
      }
    }
  }
}

}  // namespace
}  // namespace ringmaster::topology
