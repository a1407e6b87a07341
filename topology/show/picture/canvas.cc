// SPDX-License-Identifier: Apache-2.0
#include "topology/show/picture/canvas.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "topology/show/xml_text.h"

namespace ringmaster::topology {

namespace {

constexpr double kCorner = 5;  // rounds the corners of lines

Spot between(const Spot& from, const Spot& to, double way) {
  const double length = std::hypot(to.x - from.x, to.y - from.y);
  const double part = length == 0 ? 0 : std::min(way, length / 2) / length;
  return {from.x + (to.x - from.x) * part, from.y + (to.y - from.y) * part};
}

std::string corner_path(const Spot& before, const Spot& corner, const Spot& after) {
  const Spot in = between(corner, before, kCorner), out = between(corner, after, kCorner);
  return fmt::format("L{:.1f} {:.1f}Q{:.1f} {:.1f} {:.1f} {:.1f}", in.x, in.y, corner.x, corner.y,
                     out.x, out.y);
}

std::string path_data(const Stroke& stroke) {
  const auto& points = stroke.points;
  const std::size_t count = points.size();
  if (count < 3) {
    std::string text;
    for (const Spot& spot : points) {
      text += fmt::format("{}{:.1f} {:.1f}", text.empty() ? "M" : "L", spot.x, spot.y);
    }
    return text;
  }
  std::string text;
  for (std::size_t i = 0; i < count; ++i) {
    const bool end = !stroke.closed && (i == 0 || i + 1 == count);
    text += end ? fmt::format("L{:.1f} {:.1f}", points[i].x, points[i].y)
                : corner_path(points[(i + count - 1) % count], points[i], points[(i + 1) % count]);
  }
  text[0] = 'M';
  return text + (stroke.closed ? "Z" : "");
}

const char* anchor_name(Anchor anchor) {
  switch (anchor) {
    case Anchor::start:
      return "start";
    case Anchor::middle:
      return "middle";
    case Anchor::end:
      return "end";
  }
  return "";
}

/// The end of the letter that begins at `at`: bytes of one letter stay together.
std::size_t letter_end(std::string_view text, std::size_t at) {
  ++at;
  while (at < text.size() && (static_cast<unsigned char>(text[at]) & 0xc0U) == 0x80U) ++at;
  return at;
}

}  // namespace

bool overlap(const Box& a, const Box& b) {
  return a.x < b.right() && b.x < a.right() && a.y < b.bottom() && b.y < a.bottom();
}

double label_width(std::string_view text, double size, bool bold) {
  std::size_t letters = 0;
  for (std::size_t at = 0; at < text.size(); at = letter_end(text, at)) ++letters;
  return static_cast<double>(letters) * size * (bold ? 0.70 : 0.63);
}

Box box_of(const Label& label) {
  const double width = label_width(label.text, label.size, label.bold);
  double x = label.at.x;
  if (label.anchor == Anchor::middle) x -= width / 2;
  if (label.anchor == Anchor::end) x -= width;
  return {x, label.at.y - label.size * 0.8, width, label.size * 1.05};
}

std::string elided(std::string_view text, double size, bool bold, double width) {
  if (label_width(text, size, bold) <= width) return std::string(text);
  const double room = width - label_width("...", size, bold);
  std::size_t end = 0;
  while (end < text.size()) {
    const std::size_t next = letter_end(text, end);
    if (label_width(text.substr(0, next), size, bold) > room) break;
    end = next;
  }
  return end == 0 ? "" : std::string(text.substr(0, end)) + "...";
}

void Canvas::add(Layer layer, const Stroke& stroke) {
  shapes_.emplace_back(layer, fmt::format(R"(<path d="{}" stroke="{}" stroke-width="{:.1f}"{}/>)",
                                          path_data(stroke), stroke.colour, stroke.width,
                                          stroke.dashed ? R"( stroke-dasharray="6 5")" : ""));
}

void Canvas::add(Layer layer, const Plate& plate) {
  shapes_.emplace_back(
      layer, fmt::format(
                 R"(<rect x="{:.1f}" y="{:.1f}" width="{:.1f}" height="{:.1f}" rx="{:.1f}" )"
                 R"(fill="{}"{}/>)",
                 plate.box.x, plate.box.y, plate.box.width, plate.box.height, plate.radius,
                 plate.fill, plate.edge.empty() ? "" : fmt::format(R"( stroke="{}")", plate.edge)));
}

std::string Canvas::svg(double width, double height, std::string_view name) const {
  // Its own white ground: dark pages show it as a card.
  std::string text = fmt::format(
      R"(<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {0:.0f} {1:.0f}" width="{0:.0f}" )"
      R"(height="{1:.0f}" role="img" fill="none" stroke-linejoin="round" )"
      "font-family=\"'Helvetica Neue',Arial,'DejaVu Sans',sans-serif\">\n"
      "<title>{2}</title>\n"
      R"(<rect width="{0:.0f}" height="{1:.0f}" rx="10" fill="#ffffff"/>)"
      "\n",
      width, height, xml_escaped(name));
  for (const Layer layer :
       {Layer::frames, Layer::links, Layer::rings, Layer::boxes, Layer::labels}) {
    for (const auto& [own, shape] : shapes_) {
      if (own == layer) text += shape + "\n";
    }
  }
  for (const Label& label : labels_) {
    text += fmt::format(
        R"(<text x="{:.1f}" y="{:.1f}" font-size="{:g}" text-anchor="{}" fill="{}"{}>{}</text>)"
        "\n",
        label.at.x, label.at.y, label.size, anchor_name(label.anchor), label.colour,
        label.bold ? R"( font-weight="600")" : "", xml_escaped(label.text));
  }
  return text + "</svg>\n";
}

const char* ring_colour(std::size_t ring) {
  constexpr std::array<const char*, kRingColours> kColours = {
      "#d55e00", "#0072b2", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#000000"};
  return kColours[ring % kRingColours];
}

}  // namespace ringmaster::topology
