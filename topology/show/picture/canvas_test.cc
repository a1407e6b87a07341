// SPDX-License-Identifier: Apache-2.0
#include "topology/show/picture/canvas.h"

#include <gtest/gtest.h>

namespace ringmaster::topology {
namespace {

TEST(Canvas, ATextThatIsTooWideEndsInDots) {
  EXPECT_EQ(elided("short", 10, false, 100), "short");
  const std::string cut = elided("a text that is far too long", 10, false, 100);
  EXPECT_TRUE(cut.ends_with("...")) << cut;
  EXPECT_LE(label_width(cut, 10, false), 100);
  EXPECT_EQ(elided("anything", 10, false, 3), "");
}

TEST(Canvas, ALetterOfSeveralBytesIsNotCut) {
  const std::string euros = "\xe2\x82\xac\xe2\x82\xac\xe2\x82\xac\xe2\x82\xac\xe2\x82\xac";
  EXPECT_EQ(label_width(euros, 10, false), label_width("eeeee", 10, false));
  EXPECT_EQ(elided(euros, 10, false, label_width("e...", 10, false)), "\xe2\x82\xac...");
}

TEST(Canvas, LayersLieOverEachOtherWhateverCameFirst) {
  Canvas canvas;
  canvas.add(Layer::boxes, Plate{{0, 0, 1, 1}, "front", "", 0});
  canvas.add(Layer::frames, Plate{{0, 0, 1, 1}, "back", "", 0});
  const std::string svg = canvas.svg(10, 10, "a<b");
  EXPECT_LT(svg.find("back"), svg.find("front"));
  EXPECT_NE(svg.find("<title>a&lt;b</title>"), std::string::npos);
}

TEST(Canvas, BoxesThatTouchDoNotOverlap) {
  EXPECT_FALSE(overlap({0, 0, 10, 10}, {10, 0, 10, 10}));
  EXPECT_TRUE(overlap({0, 0, 10, 10}, {9, 9, 10, 10}));
}

}  // namespace
}  // namespace ringmaster::topology
