// SPDX-License-Identifier: Apache-2.0
//
// A 3x3 convolution as a matrix product: each output pixel's 9 * channels inputs become a row
// ("im2col", Chellapilla, Puri and Simard, 2006), a few images at a time so that the rows stay in
// the cache between being written and being read.
//
// Maximum first, then bias and max(0, .): both are monotone and the same for all four pixels of a
// square, so the result is that of the usual order at a quarter of the work.
#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <vector>

#include "worker/training/blas.h"
#include "worker/training/layer.h"

namespace ringmaster::training {

namespace {

/// Calls visit(row, padded) for each of the three runs that make up each pixel's row: where the run
/// stands among the rows, and where it stands in an image that has a border of one pixel. `run` is
/// the length of both.
template <class Visit>
void for_each_run(std::size_t height, std::size_t width, std::size_t channels, const Visit& visit) {
  std::size_t row = 0;
  for (std::size_t y = 0; y < height; ++y) {
    for (std::size_t x = 0; x < width; ++x) {
      for (std::size_t dy = 0; dy < 3; ++dy, row += 3 * channels) {
        visit(row, ((y + dy) * (width + 2) + x) * channels);
      }
    }
  }
}

/// The maximum of four pixels in each channel, plus bias, not below 0.
void pool_square(const float* __restrict a, const float* __restrict b, const float* __restrict c,
                 const float* __restrict d, const float* __restrict bias, float* __restrict output,
                 std::size_t channels) {
  for (std::size_t i = 0; i < channels; ++i) {
    const float top = a[i] > b[i] ? a[i] : b[i];
    const float low = c[i] > d[i] ? c[i] : d[i];
    const float value = (top > low ? top : low) + bias[i];
    output[i] = value > 0 ? value : 0.0F;
  }
}

/// `value` or 0, without a branch: which of four pixels wins is as random as noise, and a branch
/// mispredicted half of the time took a third of a training step. GCC vectorises this form only.
inline float keep_if(bool wanted, float value) {
  return std::bit_cast<float>(std::bit_cast<std::int32_t>(value) &
                              -static_cast<std::int32_t>(wanted));
}

/// The reverse: overwrites each pixel with its slope. The first of equal pixels takes it all.
void spread_square(float* __restrict a, float* __restrict b, float* __restrict c,
                   float* __restrict d, float* __restrict bias_gradient,
                   const float* __restrict output, const float* __restrict output_slope,
                   std::size_t channels) {
  for (std::size_t i = 0; i < channels; ++i) {
    const float top = a[i] > b[i] ? a[i] : b[i];
    const float low = c[i] > d[i] ? c[i] : d[i];
    const float slope = keep_if(output[i] > 0, output_slope[i]);
    const float to_top = keep_if(top >= low, slope);
    const float to_low = slope - to_top;
    const float to_a = keep_if(a[i] >= b[i], to_top);
    const float to_c = keep_if(c[i] >= d[i], to_low);
    bias_gradient[i] += slope;
    a[i] = to_a;
    b[i] = to_top - to_a;
    c[i] = to_c;
    d[i] = to_low - to_c;
  }
}

/// Parameters: weights (9 * channels x filters), then bias (filters).
class Convolution : public Layer {
 public:
  Convolution(std::size_t height, std::size_t width, std::size_t channels, std::size_t filters)
      : Layer(height * width * channels, (height / 2) * (width / 2) * filters,
              (9 * channels + 1) * filters),
        height_(height),
        width_(width),
        channels_(channels),
        filters_(filters),
        padded_((height + 2) * (width + 2) * channels) {
    CHECK_EQ(height % 2, std::size_t{0});
    CHECK_EQ(width % 2, std::size_t{0});
  }

  void initialise(std::span<float> parameters, Random* random) const override {
    initialise_he(parameters.first(weights()), row(), random);
    std::fill(parameters.begin() + static_cast<std::ptrdiff_t>(weights()), parameters.end(), 0.0F);
  }

  void forward(std::span<const float> parameters, const float* input, float* output,
               std::size_t images) override {
    const std::size_t pixels = images * height_ * width_;
    rows_.resize(pixels * row());
    full_.resize(pixels * filters_);
    for (std::size_t i = 0; i < images; ++i) {
      gather(input + i * inputs(), rows_.data() + i * height_ * width_ * row());
    }
    multiply(Transposed::none, pixels, filters_, row(), rows_.data(), parameters.data(), 0.0F,
             full_.data());
    for_each_square(images, [&](float* square, std::size_t at) {
      const std::size_t line = width_ * filters_;
      pool_square(square, square + filters_, square + line, square + line + filters_,
                  parameters.data() + weights(), output + at, filters_);
    });
  }

  void backward(const Backward& pass) override {
    const std::size_t pixels = pass.images * height_ * width_;
    CHECK_EQ(rows_.size(), pixels * row());  // forward() of the same group came just before
    for_each_square(pass.images, [&](float* square, std::size_t at) {
      const std::size_t line = width_ * filters_;
      spread_square(square, square + filters_, square + line, square + line + filters_,
                    pass.gradients.data() + weights(), pass.output + at, pass.output_slope + at,
                    filters_);
    });
    multiply(Transposed::left, row(), filters_, pixels, rows_.data(), full_.data(), 1.0F,
             pass.gradients.data());
    if (pass.input_slope == nullptr) return;
    multiply(Transposed::right, pixels, row(), filters_, full_.data(), pass.parameters.data(), 0.0F,
             rows_.data());
    for (std::size_t i = 0; i < pass.images; ++i) {
      scatter(rows_.data() + i * height_ * width_ * row(), pass.input_slope + i * inputs());
    }
    rows_.clear();  // they hold slopes now
  }

 private:
  std::size_t row() const { return 9 * channels_; }
  std::size_t weights() const { return row() * filters_; }

  /// Writes the rows of one image.
  void gather(const float* image, float* rows) {
    const std::size_t line = width_ * channels_;
    std::fill(padded_.begin(), padded_.end(), 0.0F);
    for (std::size_t y = 0; y < height_; ++y) {
      std::copy_n(image + y * line, line, padded_line(y));
    }
    if (channels_ == 1) {  // a copy of a size known here is two moves instead of a call
      for_each_run(height_, width_, 1, [&](std::size_t to, std::size_t from) {
        std::memcpy(rows + to, padded_.data() + from, 3 * sizeof(float));
      });
    } else {
      for_each_run(height_, width_, channels_, [&](std::size_t to, std::size_t from) {
        std::memcpy(rows + to, padded_.data() + from, 3 * channels_ * sizeof(float));
      });
    }
  }

  /// The reverse of gather(): sums each row's slopes at the pixels that it came from.
  void scatter(const float* rows, float* image) {
    const std::size_t line = width_ * channels_;
    std::fill(padded_.begin(), padded_.end(), 0.0F);
    for_each_run(height_, width_, channels_, [&](std::size_t from, std::size_t to) {
      const float* __restrict source = rows + from;
      float* __restrict target = padded_.data() + to;
      for (std::size_t i = 0; i < 3 * channels_; ++i) target[i] += source[i];
    });
    for (std::size_t y = 0; y < height_; ++y) {
      std::copy_n(padded_line(y), line, image + y * line);
    }
  }

  /// Line `y` of the image inside the border.
  float* padded_line(std::size_t y) {
    return padded_.data() + ((y + 1) * (width_ + 2) + 1) * channels_;
  }

  /// Calls visit(square, at) for each 2x2 square of full_: its first pixel, and its place in the
  /// pooled image. Squares never cross from one image into the next, as heights are even.
  template <class Visit>
  void for_each_square(std::size_t images, const Visit& visit) {
    std::size_t at = 0;
    for (std::size_t y = 0; y < images * height_; y += 2) {
      for (std::size_t x = 0; x < width_; x += 2, at += filters_) {
        visit(full_.data() + (y * width_ + x) * filters_, at);
      }
    }
  }

  std::size_t height_, width_, channels_, filters_;
  std::vector<float> padded_;  // one image with a border of zeros
  std::vector<float> rows_;    // im2col of the group, then the slopes of it
  std::vector<float> full_;    // the group's outputs before pooling, then their slopes
};

}  // namespace

std::unique_ptr<Layer> make_convolution(std::size_t height, std::size_t width, std::size_t channels,
                                        std::size_t filters) {
  return std::make_unique<Convolution>(height, width, channels, filters);
}

}  // namespace ringmaster::training
