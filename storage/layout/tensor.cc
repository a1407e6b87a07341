// SPDX-License-Identifier: Apache-2.0
#include "storage/layout/tensor.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace ringmaster::storage {

namespace {

struct DtypeRow {
  Dtype dtype;
  const char* name;
  std::uint64_t bytes;
};

constexpr std::array kDtypes = {
    DtypeRow{Dtype::boolean, "BOOL", 1},    DtypeRow{Dtype::u8, "U8", 1},
    DtypeRow{Dtype::i8, "I8", 1},           DtypeRow{Dtype::f8_e4m3, "F8_E4M3", 1},
    DtypeRow{Dtype::f8_e5m2, "F8_E5M2", 1}, DtypeRow{Dtype::i16, "I16", 2},
    DtypeRow{Dtype::u16, "U16", 2},         DtypeRow{Dtype::f16, "F16", 2},
    DtypeRow{Dtype::bf16, "BF16", 2},       DtypeRow{Dtype::i32, "I32", 4},
    DtypeRow{Dtype::u32, "U32", 4},         DtypeRow{Dtype::f32, "F32", 4},
    DtypeRow{Dtype::i64, "I64", 8},         DtypeRow{Dtype::u64, "U64", 8},
    DtypeRow{Dtype::f64, "F64", 8},
};

const DtypeRow& row_of(Dtype dtype) {
  const auto& row = kDtypes.at(static_cast<std::size_t>(dtype));
  CHECK(row.dtype == dtype);
  return row;
}

bool is_name(std::string_view name) {
  return !name.empty() && name.size() <= kTensorNameMax && name != "__metadata__" &&
         std::all_of(name.begin(), name.end(),
                     [](char c) { return c >= ' ' && c <= '~' && c != '@'; });
}

}  // namespace

const char* dtype_name(Dtype dtype) {
  return row_of(dtype).name;
}

std::uint64_t dtype_bytes(Dtype dtype) {
  return row_of(dtype).bytes;
}

std::optional<Dtype> find_dtype(std::string_view name) {
  for (const DtypeRow& row : kDtypes) {
    if (row.name == name) return row.dtype;
  }
  return std::nullopt;
}

std::optional<std::uint64_t> bytes_of(Dtype dtype, const Shape& shape) {
  // Without the zeros first: 2^60 x 0 x 2^60 is empty, and must not overflow on the way.
  std::uint64_t bytes = dtype_bytes(dtype);
  for (const std::uint64_t extent : shape) {
    if (extent != 0 && bytes > kTensorBytesMax / extent) return std::nullopt;
    if (extent != 0) bytes *= extent;
  }
  return std::find(shape.begin(), shape.end(), 0U) == shape.end() ? bytes : 0;
}

std::uint64_t elements_of(const Shape& shape) {
  std::uint64_t elements = 1;
  for (const std::uint64_t extent : shape) elements *= extent;
  return elements;
}

Result<void> check_tensor(const Tensor& tensor) {
  if (!is_name(tensor.name)) {
    return Error{Errc::invalid,
                 fmt::format("the tensor \"{}\": its name must be printable ASCII without '@', at "
                             "most {} bytes",
                             tensor.name, kTensorNameMax)};
  }
  if (tensor.shape.size() > kDimensionsMax || !bytes_of(tensor.dtype, tensor.shape)) {
    return Error{Errc::invalid, fmt::format("the tensor \"{}\": at most {} dimensions and 2^50 "
                                            "bytes",
                                            tensor.name, kDimensionsMax)};
  }
  return {};
}

Box whole(const Shape& shape) {
  return {Shape(shape.size(), 0), shape};
}

bool is_inside(const Box& box, const Shape& shape) {
  if (box.offset.size() != shape.size() || box.shape.size() != shape.size()) return false;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    if (box.shape[d] > shape[d] || box.offset[d] > shape[d] - box.shape[d]) return false;
  }
  return true;
}

std::optional<Box> intersect(const Box& a, const Box& b) {
  CHECK_EQ(a.offset.size(), b.offset.size());
  Box common;
  for (std::size_t d = 0; d < a.offset.size(); ++d) {
    const std::uint64_t begin = std::max(a.offset[d], b.offset[d]);
    const std::uint64_t end = std::min(a.offset[d] + a.shape[d], b.offset[d] + b.shape[d]);
    if (begin >= end) return std::nullopt;
    common.offset.push_back(begin);
    common.shape.push_back(end - begin);
  }
  return common;
}

std::string chunk_name(const Tensor& tensor, const Box& box) {
  if (box == whole(tensor.shape)) return tensor.name;
  return fmt::format("{}@{}", tensor.name, fmt::join(box.offset, ","));
}

}  // namespace ringmaster::storage
