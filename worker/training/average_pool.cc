// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "worker/training/layer.h"

namespace ringmaster::training {

namespace {

class AveragePool : public Layer {
 public:
  AveragePool(std::size_t height, std::size_t width, std::size_t side)
      : Layer(height * width, (height / side) * (width / side), 0),
        height_(height),
        width_(width),
        side_(side) {
    CHECK_EQ(height % side, std::size_t{0});
    CHECK_EQ(width % side, std::size_t{0});
  }

  void initialise(std::span<float>, Random*) const override {}

  void forward(std::span<const float>, const float* input, float* output,
               std::size_t images) override {
    const float share = 1.0F / static_cast<float>(side_ * side_);
    std::fill_n(output, images * outputs(), 0.0F);
    for_each_pixel(images,
                   [&](std::size_t from, std::size_t to) { output[to] += share * input[from]; });
  }

  void backward(const Backward& pass) override {
    if (pass.input_slope == nullptr) return;
    const float share = 1.0F / static_cast<float>(side_ * side_);
    for_each_pixel(pass.images, [&](std::size_t from, std::size_t to) {
      pass.input_slope[from] = share * pass.output_slope[to];
    });
  }

 private:
  template <class Visit>
  void for_each_pixel(std::size_t images, const Visit& visit) const {
    // Rows of all images are alike: the squares never cross from one image into the next.
    for (std::size_t y = 0; y < images * height_; ++y) {
      for (std::size_t x = 0; x < width_; ++x) {
        visit(y * width_ + x, (y / side_) * (width_ / side_) + x / side_);
      }
    }
  }

  std::size_t height_, width_, side_;
};

}  // namespace

std::unique_ptr<Layer> make_average_pool(std::size_t height, std::size_t width, std::size_t side) {
  return std::make_unique<AveragePool>(height, width, side);
}

}  // namespace ringmaster::training
