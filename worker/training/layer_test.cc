// SPDX-License-Identifier: Apache-2.0
#include "worker/training/layer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

namespace ringmaster::training {
namespace {

using Floats = std::vector<float>;

Floats random_floats(std::size_t count, std::uint64_t seed) {
  Random random(seed);
  Floats values(count);
  for (float& value : values) value = static_cast<float>(2 * random.unit() - 1);
  return values;
}

/// The layer under a loss that is a fixed weighted sum of its outputs.
class Probe {
 public:
  Probe(Layer* layer, std::size_t images)
      : layer_(layer),
        images_(images),
        input_(random_floats(images * layer->inputs(), 1)),
        parameters_(random_floats(layer->parameters(), 2)),
        weights_(random_floats(images * layer->outputs(), 3)) {}

  double loss() {
    Floats output(weights_.size());
    layer_->forward(parameters_, input_.data(), output.data(), images_);
    double sum = 0;
    for (std::size_t i = 0; i < output.size(); ++i) {
      sum += static_cast<double>(output[i]) * static_cast<double>(weights_[i]);
    }
    return sum;
  }

  /// Compares every slope with a difference of two losses.
  void check() {
    Floats output(weights_.size()), slope = weights_, input_slope(input_.size(), 7.0F);
    Floats gradients(parameters_.size(), 1.0F);  // backward() adds to what is there
    layer_->forward(parameters_, input_.data(), output.data(), images_);
    layer_->backward({.parameters = parameters_,
                      .input = input_.data(),
                      .output = output.data(),
                      .output_slope = slope.data(),
                      .input_slope = input_slope.data(),
                      .gradients = gradients,
                      .images = images_});
    for (float& gradient : gradients) gradient -= 1;
    compare(&input_, input_slope, "input");
    compare(&parameters_, gradients, "parameter");
  }

 private:
  void compare(Floats* values, const Floats& slopes, const char* what) {
    constexpr float kStep = 1e-3F;
    int active = 0;
    for (std::size_t i = 0; i < values->size(); ++i) {
      const float old = (*values)[i];
      (*values)[i] = old + kStep;
      const double above = loss();
      (*values)[i] = old - kStep;
      const double below = loss();
      (*values)[i] = old;
      const double slope = (above - below) / (2 * static_cast<double>(kStep));
      EXPECT_NEAR(static_cast<double>(slopes[i]), slope, 5e-3) << what << " " << i;
      active += std::fabs(slope) > 0.05 ? 1 : 0;
    }
    EXPECT_LE(values->size() / 4, static_cast<std::size_t>(active)) << "most slopes are 0";
  }

  Layer* layer_;
  std::size_t images_;
  Floats input_, parameters_, weights_;
};

TEST(Layer, DenseSlopesAreThoseOfItsOutput) {
  auto plain = make_dense(7, 5, false);
  Probe(plain.get(), 3).check();
  auto relu = make_dense(7, 5, true);
  Probe(relu.get(), 3).check();
}

TEST(Layer, ConvolutionSlopesAreThoseOfItsOutput) {
  auto grey = make_convolution(6, 4, 1, 3);
  Probe(grey.get(), 2).check();
  auto deep = make_convolution(4, 4, 5, 6);
  Probe(deep.get(), 2).check();
}

TEST(Layer, AveragePoolSlopesAreThoseOfItsOutput) {
  auto pool = make_average_pool(4, 6, 2);
  Probe(pool.get(), 2).check();
}

TEST(Layer, ConvolutionOfAKnownImage) {
  // One filter that passes the pixel on the left of its own: the middle row's first weight.
  auto layer = make_convolution(2, 2, 1, 1);
  Floats parameters(10, 0.0F);
  parameters[3] = 1;
  parameters[9] = 0.5F;
  const Floats image = {1, 2, 3, 4};
  Floats output(1);
  layer->forward(parameters, image.data(), output.data(), 1);
  EXPECT_EQ(output[0], 3.5F);  // of the left neighbours 0 1 0 3 the largest, and the bias
}

TEST(Layer, OfEqualPixelsOneTakesTheSlope) {
  auto layer = make_convolution(2, 2, 1, 1);
  Floats parameters(10, 0.0F);
  parameters[4] = 1;  // the pixel itself
  const Floats image = {1, 1, 1, 1};
  Floats output(1), slope = {1}, input_slope(4), gradients(10, 0.0F);
  layer->forward(parameters, image.data(), output.data(), 1);
  layer->backward(
      {parameters, image.data(), output.data(), slope.data(), input_slope.data(), gradients, 1});
  EXPECT_EQ(input_slope, (Floats{1, 0, 0, 0}));
  EXPECT_EQ(gradients[9], 1.0F);
}

TEST(Layer, InitialWeightsHaveTheWantedSpread) {
  Random random(5);
  Floats weights(20000);
  initialise_he(weights, 50, &random);
  const double mean = std::accumulate(weights.begin(), weights.end(), 0.0) / 20000;
  double variance = 0;
  for (const float weight : weights) variance += weight * weight / 20000;
  EXPECT_NEAR(mean, 0, 0.01);
  EXPECT_NEAR(variance, 2.0 / 50, 0.002);
}

}  // namespace
}  // namespace ringmaster::training
