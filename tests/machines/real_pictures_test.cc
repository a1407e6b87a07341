// SPDX-License-Identifier: Apache-2.0
//
// Pictures of machines are XML that another reader takes, of random machines as of real ones. The
// latter are not part of the project: where ../shared/data is not beside the checkout, they are
// left out.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "topology/read/formats.h"
#include "topology/read/xml_tree.h"
#include "topology/show/picture/test_pictures.h"
#include "topology/show/show.h"

namespace ringmaster::topology {
namespace {

const std::string kPictured = RINGMASTER_SOURCE_DIR "/../shared/data/topologies/";

std::string pictured_file(const std::string& path) {
  std::stringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

std::size_t count_elements(const XmlElement& element, const std::string& name) {
  std::size_t count = element.name == name ? 1 : 0;
  for (const XmlElement& child : element.children) count += count_elements(child, name);
  return count;
}

void check_svg(const Topology& machine, const std::string& what) {
  const TopologyPicture picture = topology_picture(machine);
  check_picture(picture, what);
  const auto read = read_xml(topology_svg(machine));
  const auto* root = std::get_if<XmlElement>(&read);
  ASSERT_NE(root, nullptr) << what << ": " << std::get<Refusal>(read).what;
  EXPECT_EQ(root->name, "svg") << what;
  EXPECT_EQ(count_elements(*root, "text"), picture.canvas.labels().size()) << what;
}

TEST(Pictures, OfRandomMachinesAreXml) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    check_svg(RandomMachine(seed).make(10), "seed " + std::to_string(seed));
    if (HasFailure()) return;
  }
}

TEST(Pictures, NamesOfAnyBytesAreXml) {
  for (int byte = 0; byte < 256; ++byte) {
    Topology machine;
    machine.nics = {{.name = std::string("x") + static_cast<char>(byte) + "\xe2\x82"}};
    machine.missing = {std::string(1, static_cast<char>(byte))};
    check_svg(machine, "byte " + std::to_string(byte));
  }
}

TEST(Pictures, OfTheDocumentationAreWhatIsDrawnToday) {
  const std::string docs = RINGMASTER_SOURCE_DIR "/docs/";
  for (const auto& [machine, picture] :
       {std::pair("dgx-1.txt", "dgx-1.svg"), std::pair("hgx-h100.xml", "hgx-h100.svg"),
        std::pair("bridged-pairs.txt", "bridged-pairs.svg")}) {
    const Answer answer = read_topology("auto", pictured_file(docs + "machines/" + machine));
    ASSERT_TRUE(std::holds_alternative<Topology>(answer)) << machine;
    const std::string svg = topology_svg(std::get<Topology>(answer));
    check_svg(std::get<Topology>(answer), machine);
    const std::string path = docs + "pictures/" + picture;
    if (std::getenv("RINGMASTER_REWRITE") != nullptr) std::ofstream(path) << svg;
    EXPECT_TRUE(pictured_file(path) == svg) << "RINGMASTER_REWRITE=1 rewrites " << path;
  }
}

TEST(Pictures, OfRealMachinesAreXmlWithoutTextOnText) {
  if (!std::ifstream(kPictured + "facts.tsv")) GTEST_SKIP() << kPictured << " is not there";
  int drawn = 0;
  for (const char* folder : {"matrix", "xml", "sysfs"}) {
    for (const auto& entry : std::filesystem::directory_iterator(kPictured + folder)) {
      const Answer answer = read_topology("auto", pictured_file(entry.path()));
      if (!std::holds_alternative<Topology>(answer)) continue;
      check_svg(std::get<Topology>(answer), entry.path().filename().string());
      ++drawn;
    }
  }
  EXPECT_GT(drawn, 40);
}

}  // namespace
}  // namespace ringmaster::topology
