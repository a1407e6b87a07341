// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "worker/training/blas.h"
#include "worker/training/layer.h"

namespace ringmaster::training {

namespace {

/// Parameters: weights (inputs x outputs), then bias (outputs).
class Dense : public Layer {
 public:
  Dense(std::size_t inputs, std::size_t outputs, bool relu)
      : Layer(inputs, outputs, inputs * outputs + outputs), relu_(relu) {}

  void initialise(std::span<float> parameters, Random* random) const override {
    initialise_he(parameters.first(weights()), inputs(), random);
    std::fill(parameters.begin() + static_cast<std::ptrdiff_t>(weights()), parameters.end(), 0.0F);
  }

  void forward(std::span<const float> parameters, const float* input, float* output,
               std::size_t images) override {
    const float* bias = parameters.data() + weights();
    for (std::size_t i = 0; i < images; ++i) std::copy_n(bias, outputs(), output + i * outputs());
    multiply(Transposed::none, images, outputs(), inputs(), input, parameters.data(), 1.0F, output);
    if (!relu_) return;
    for (std::size_t i = 0; i < images * outputs(); ++i) output[i] = std::max(output[i], 0.0F);
  }

  void backward(const Backward& pass) override {
    float* slope = pass.output_slope;
    const std::size_t count = pass.images * outputs();
    if (relu_) {
      for (std::size_t i = 0; i < count; ++i) slope[i] = pass.output[i] > 0 ? slope[i] : 0.0F;
    }
    multiply(Transposed::left, inputs(), outputs(), pass.images, pass.input, slope, 1.0F,
             pass.gradients.data());
    float* bias = pass.gradients.data() + weights();
    for (std::size_t i = 0; i < pass.images; ++i) {
      for (std::size_t o = 0; o < outputs(); ++o) bias[o] += slope[i * outputs() + o];
    }
    if (pass.input_slope == nullptr) return;
    multiply(Transposed::right, pass.images, inputs(), outputs(), slope, pass.parameters.data(),
             0.0F, pass.input_slope);
  }

 private:
  std::size_t weights() const { return inputs() * outputs(); }
  bool relu_;
};

}  // namespace

std::unique_ptr<Layer> make_dense(std::size_t inputs, std::size_t outputs, bool relu) {
  return std::make_unique<Dense>(inputs, outputs, relu);
}

}  // namespace ringmaster::training
