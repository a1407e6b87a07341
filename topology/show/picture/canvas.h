// SPDX-License-Identifier: Apache-2.0
//
// Where the parts of a picture lie: boxes, lines and texts with their places, in layers, before
// they become SVG.
//
// Kept as values and not written out at once, so that a test can ask whether two texts overlap. The
// width of a text is an estimate above that of common fonts: what fits by it fits everywhere.
//
// Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ringmaster::topology {

struct Spot {
  double x = 0, y = 0;
};

struct Box {
  double x = 0, y = 0, width = 0, height = 0;  // from its upper left corner

  double right() const { return x + width; }
  double bottom() const { return y + height; }
  double middle() const { return x + width / 2; }
};

bool overlap(const Box& a, const Box& b);

enum class Anchor { start, middle, end };

struct Label {
  Spot at = {};  // of its base line
  std::string text = {};
  double size = 12;
  Anchor anchor = Anchor::middle;
  bool bold = false;
  std::string colour = "#1c2127";
};

double label_width(std::string_view text, double size, bool bold);
Box box_of(const Label& label);

/// The text, or as much of it as is not wider, with "..." at its end.
std::string elided(std::string_view text, double size, bool bold, double width);

/// From the back to the front.
enum class Layer { frames, links, rings, boxes, labels };

struct Stroke {
  std::vector<Spot> points = {};
  std::string colour = {};
  double width = 1;
  bool closed = false, dashed = false;
};

struct Plate {
  Box box = {};
  std::string fill = {}, edge = {};
  double radius = 4;
};

class Canvas {
 public:
  void add(Label label) { labels_.push_back(std::move(label)); }
  void add(Layer layer, const Stroke& stroke);
  void add(Layer layer, const Plate& plate);

  const std::vector<Label>& labels() const { return labels_; }
  /// As large as it was made, with everything on it.
  std::string svg(double width, double height, std::string_view name) const;

 private:
  std::vector<Label> labels_;
  std::vector<std::pair<Layer, std::string>> shapes_;
};

// Colours of Okabe and Ito ("Color universal design", 2008), which people who do not see all
// colours tell apart; without yellow, which is none on white.
inline constexpr std::size_t kRingColours = 7;
const char* ring_colour(std::size_t ring);

inline constexpr const char* kInk = "#1c2127";
inline constexpr const char* kSoftInk = "#5d6672";
inline constexpr const char* kLinkGrey = "#c3c9d1";
inline constexpr const char* kGpuFill = "#2d3643";

}  // namespace ringmaster::topology
