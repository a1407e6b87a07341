// SPDX-License-Identifier: Apache-2.0
//
// Tensors as values: a name, a type of elements and a shape; and boxes, the parts of them that
// chunks are. Elements lie row by row (the last dimension is the closest), little-endian.
//
// Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace ringmaster::storage {

inline constexpr std::size_t kDimensionsMax = 16;
inline constexpr std::size_t kTensorNameMax = 512;
inline constexpr std::uint64_t kTensorBytesMax = 1ULL << 50;  // sums of them stay below 2^64

/// The types that safetensors files have.
enum class Dtype {
  boolean,
  u8,
  i8,
  f8_e4m3,
  f8_e5m2,
  i16,
  u16,
  f16,
  bf16,
  i32,
  u32,
  f32,
  i64,
  u64,
  f64,
};

/// As safetensors spells it: "F32".
const char* dtype_name(Dtype dtype);
std::optional<Dtype> find_dtype(std::string_view name);
std::uint64_t dtype_bytes(Dtype dtype);

using Shape = std::vector<std::uint64_t>;

struct Tensor {
  std::string name = {};
  Dtype dtype = Dtype::f32;
  Shape shape = {};  // empty: one element
  friend bool operator==(const Tensor&, const Tensor&) = default;
};

struct Box {
  Shape offset = {};
  Shape shape = {};
  friend bool operator==(const Box&, const Box&) = default;
};

/// The bytes of a tensor of this type and shape; none when they are above kTensorBytesMax.
std::optional<std::uint64_t> bytes_of(Dtype dtype, const Shape& shape);
/// The number of elements of a shape that has passed check_tensor.
std::uint64_t elements_of(const Shape& shape);

/// Whether the name and the size are within bounds: printable ASCII without '@' (which names the
/// chunks of a tensor), and not what safetensors uses itself.
Result<void> check_tensor(const Tensor& tensor);

Box whole(const Shape& shape);
/// Whether the box lies in a tensor of this shape.
bool is_inside(const Box& box, const Shape& shape);
/// What two boxes of one tensor have in common; none when that is empty.
std::optional<Box> intersect(const Box& a, const Box& b);

/// "w", or "w@5,0" when the box is only a part of the tensor.
std::string chunk_name(const Tensor& tensor, const Box& box);

}  // namespace ringmaster::storage
