// SPDX-License-Identifier: Apache-2.0
#include "storage/layout/divide.h"

#include <algorithm>

namespace ringmaster::storage {

namespace {

/// The most elements, among a whole tensor, a row, a row of a row.. and one element, whose bytes
/// are within the grain.
std::uint64_t block_of(const Tensor& tensor, std::uint64_t grain) {
  std::uint64_t elements = elements_of(tensor.shape);
  for (const std::uint64_t extent : tensor.shape) {
    if (elements * dtype_bytes(tensor.dtype) <= grain) break;
    elements /= extent;
  }
  return elements;
}

/// Appends the boxes of [begin, end) below dimension `d`; `prefix` is where the dimensions above
/// stand, and `row` how many elements one index of dimension d has.
void append_boxes(const Shape& shape, std::size_t d, std::uint64_t row, Shape& prefix,
                  std::uint64_t begin, std::uint64_t end, std::vector<Box>& boxes) {
  if (begin == end) return;
  CHECK_LT(d, shape.size());
  const std::uint64_t below = d + 1 < shape.size() ? row / shape[d + 1] : 1;
  const auto descend = [&](std::uint64_t index, std::uint64_t from, std::uint64_t to) {
    prefix.push_back(index);
    append_boxes(shape, d + 1, below, prefix, from, to, boxes);
    prefix.pop_back();
  };
  const std::uint64_t first = begin / row, last = end / row;
  if (first == last) return descend(first, begin % row, end % row);
  std::uint64_t whole_from = first;
  if (begin % row != 0) {
    descend(first, begin % row, row);
    ++whole_from;
  }
  if (whole_from < last) {
    Box box{prefix, Shape(prefix.size(), 1)};
    box.offset.resize(shape.size(), 0);
    box.offset[d] = whole_from;
    box.shape.push_back(last - whole_from);
    box.shape.insert(box.shape.end(), shape.begin() + static_cast<std::ptrdiff_t>(d) + 1,
                     shape.end());
    boxes.push_back(std::move(box));
  }
  if (end % row != 0) descend(last, 0, end % row);
}

}  // namespace

std::vector<Box> boxes_of(const Shape& shape, std::uint64_t begin, std::uint64_t end) {
  const std::uint64_t elements = elements_of(shape);
  CHECK_LE(begin, end);
  CHECK_LE(end, elements);
  if (begin == 0 && end == elements) return {whole(shape)};
  std::vector<Box> boxes;
  Shape prefix;
  if (begin < end) append_boxes(shape, 0, elements / shape[0], prefix, begin, end, boxes);
  return boxes;
}

std::vector<std::vector<Part>> divide(const std::vector<Tensor>& tensors, std::int64_t ranks,
                                      std::uint64_t grain) {
  CHECK_LT(0, ranks);
  const auto count = static_cast<std::uint64_t>(ranks);
  std::uint64_t total = 0;
  for (const Tensor& tensor : tensors) {
    const auto bytes = bytes_of(tensor.dtype, tensor.shape);
    CHECK(bytes.has_value());
    total += *bytes;
    CHECK_LE(total, UINT64_MAX / 2);
  }
  // Where rank r's part begins; total * r would overflow for a large state on many ranks.
  const auto cut = [&](std::uint64_t r) { return total / count * r + total % count * r / count; };
  std::vector<std::vector<Part>> parts(count);
  std::uint64_t place = 0;  // of the tensor's first byte
  std::uint64_t rank = 0;
  for (std::size_t t = 0; t < tensors.size(); ++t) {
    const std::uint64_t elements = elements_of(tensors[t].shape);
    const std::uint64_t size = dtype_bytes(tensors[t].dtype);
    if (elements == 0) parts[rank].push_back({t, whole(tensors[t].shape)});
    const std::uint64_t block = block_of(tensors[t], grain);
    for (std::uint64_t begin = 0; begin < elements;) {
      std::uint64_t end = elements;
      if (rank + 1 < count && cut(rank + 1) < place + elements * size) {
        const std::uint64_t inside = (cut(rank + 1) - std::min(place, cut(rank + 1))) / size;
        end = std::max(begin, inside / block * block);
      }
      if (begin < end) {
        for (Box& box : boxes_of(tensors[t].shape, begin, end)) {
          parts[rank].push_back({t, std::move(box)});
        }
      }
      begin = end;
      if (end < elements) ++rank;
    }
    place += elements * size;
  }
  return parts;
}

}  // namespace ringmaster::storage
