// SPDX-License-Identifier: Apache-2.0
#include "worker/training/idx.h"

#include <fmt/format.h>

#include <algorithm>

#include "worker/training/dataset.h"

namespace ringmaster::training {

namespace {

constexpr std::uint32_t kImagesMagic = 0x803;  // unsigned bytes, three dimensions
constexpr std::uint32_t kLabelsMagic = 0x801;  // unsigned bytes, one dimension

Error corrupt(std::string_view name, const std::string& what) {
  return {Errc::corrupt, fmt::format("{}: {}", name, what)};
}

/// The big-endian number at index `index`, counted in numbers.
std::uint32_t number_at(Bytes bytes, std::size_t index) {
  std::uint32_t number = 0;
  for (const std::uint8_t byte : bytes.subspan(4 * index, 4)) number = number << 8 | byte;
  return number;
}

/// The elements behind the header: `count` of `element` bytes each by the header's word.
Result<Bytes> parse_elements(Bytes bytes, std::string_view name, std::size_t header,
                             std::size_t element, std::size_t most) {
  const std::size_t count = number_at(bytes, 1);
  const std::size_t wanted = most == 0 ? count : std::min(most, count);
  const std::size_t present = bytes.size() - header;
  if (count == 0) return corrupt(name, "it holds nothing");
  if (present / element < wanted) {
    return corrupt(name, fmt::format("too short: {} bytes behind the header, {} expected for {} "
                                     "items of {} bytes",
                                     present, wanted * element, wanted, element));
  }
  const std::size_t extra = present - wanted * element;
  if (most == 0 && extra != 0) {
    return corrupt(name, fmt::format("{} bytes too many behind its {} items", extra, count));
  }
  return bytes.subspan(header, wanted * element);
}

Result<void> check_header(Bytes bytes, std::string_view name, std::size_t header,
                          std::uint32_t magic) {
  if (bytes.size() < header) {
    return corrupt(
        name, fmt::format("too short: {} bytes, the header alone has {}", bytes.size(), header));
  }
  if (number_at(bytes, 0) != magic) {
    return corrupt(name, fmt::format("not the IDX file it should be: it starts with {:#010x}, "
                                     "expected {:#010x}",
                                     number_at(bytes, 0), magic));
  }
  return {};
}

}  // namespace

Result<Bytes> parse_images(Bytes bytes, std::string_view name, std::size_t most) {
  auto header = check_header(bytes, name, kImagesHeader, kImagesMagic);
  if (!header) return header.error();
  const std::uint32_t rows = number_at(bytes, 2), columns = number_at(bytes, 3);
  if (rows != kSide || columns != kSide) {
    return corrupt(
        name, fmt::format("its images are {}x{}, expected {}x{}", rows, columns, kSide, kSide));
  }
  return parse_elements(bytes, name, kImagesHeader, kPixels, most);
}

Result<Bytes> parse_labels(Bytes bytes, std::string_view name, std::size_t most) {
  auto header = check_header(bytes, name, kLabelsHeader, kLabelsMagic);
  if (!header) return header.error();
  auto labels = parse_elements(bytes, name, kLabelsHeader, 1, most);
  if (!labels) return labels;
  const auto bad = std::find_if(labels->begin(), labels->end(),
                                [](std::uint8_t label) { return label >= kClasses; });
  if (bad != labels->end()) {
    return corrupt(name, fmt::format("label {} of image {} is above {}", *bad,
                                     bad - labels->begin(), kClasses - 1));
  }
  return labels;
}

}  // namespace ringmaster::training
