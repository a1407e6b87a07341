// SPDX-License-Identifier: Apache-2.0
//
// The table of keys, and docs/job-spec.md, which is made from it: RINGMASTER_REWRITE=1 writes the
// page's tables anew.
#include "jobs/spec/fields.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <set>
#include <sstream>

#include "jobs/spec/yaml_text.h"

namespace ringmaster::jobs {
namespace {

TEST(Fields, EachIsSaidOnceAndStandsBelowItsMap) {
  std::set<std::string_view> seen;
  for (const Field& field : fields()) {
    const std::string_view parent = parent_of(field.name);
    EXPECT_TRUE(parent.empty() || seen.contains(parent)) << field.name;
    EXPECT_TRUE(seen.insert(field.name).second) << field.name;
    EXPECT_FALSE(takes_text(field).empty()) << field.name;
    EXPECT_FALSE(field.doc.empty()) << field.name;
    EXPECT_EQ(yaml_word(field.name), field.name) << "a key needs no quotes";
  }
  for (const PlannedField& field : planned_fields()) {
    EXPECT_TRUE(seen.insert(field.name).second) << field.name;
  }
}

TEST(Fields, ChoicesBelongToKeysAndAreBuiltOrPlanned) {
  for (const Choice& choice : planned_choices()) {
    EXPECT_NE(find_field(choice.field), nullptr) << choice.field;
    EXPECT_FALSE(is_choice(built_choices(), choice.field, choice.value)) << choice.value;
  }
  for (const Choice& choice : built_choices()) {
    EXPECT_NE(find_field(choice.field), nullptr) << choice.field;
  }
}

/// The page with the table that begins with `table`'s first line replaced by `table`.
std::string with_table(const std::string& page, const std::string& table) {
  const std::size_t begin = page.find(table.substr(0, table.find('\n') + 1));
  if (begin == std::string::npos) return page + "\n" + table;
  const std::size_t end = std::min(page.find("\n\n", begin) + 1, page.size());
  return page.substr(0, begin) + table + page.substr(end);
}

TEST(Fields, ThePageSaysTheSame) {
  const std::string path = RINGMASTER_SOURCE_DIR "/docs/job-spec.md";
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  const std::string page = text.str();
  const std::string right = with_table(with_table(page, fields_table()), planned_table());
  if (std::getenv("RINGMASTER_REWRITE") != nullptr) {
    std::ofstream(path) << right;
    return;
  }
  EXPECT_EQ(page, right) << "RINGMASTER_REWRITE=1 rewrites " << path;
}

}  // namespace
}  // namespace ringmaster::jobs
