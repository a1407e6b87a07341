// SPDX-License-Identifier: Apache-2.0
//
// Layer: one differentiable step of a network, over a small group of images.
//
// Parameters and gradients live outside, in one vector each for the whole network: one collective
// then reduces all gradients, and the state that must survive a loss is one span. A layer only
// knows its piece. Activations are rows of floats, one row an image; images are height, width,
// channel (channel last), so that the rows of a convolution are copies of runs.
//
// The numbers of a group depend on the group alone: no threads, a fixed order of sums. The same
// inputs give the same bits on the same kind of processor.
//
// Not here: the loss, and who owns the buffers (network.h).
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "base/random.h"

namespace ringmaster::training {

class Layer {
 public:
  Layer(std::size_t inputs, std::size_t outputs, std::size_t parameters)
      : inputs_(inputs), outputs_(outputs), parameters_(parameters) {}
  virtual ~Layer() = default;
  Layer(const Layer&) = delete;
  Layer& operator=(const Layer&) = delete;

  std::size_t inputs() const { return inputs_; }    // floats an image
  std::size_t outputs() const { return outputs_; }  // floats an image
  std::size_t parameters() const { return parameters_; }

  /// Writes the first values of the layer's parameters.
  virtual void initialise(std::span<float> parameters, Random* random) const = 0;
  /// output = f(input) for `images` rows.
  virtual void forward(std::span<const float> parameters, const float* input, float* output,
                       std::size_t images) = 0;
  /// What went through the last forward(), and the loss's slope at its output.
  struct Backward {
    std::span<const float> parameters;
    const float* input;
    const float* output;
    float* output_slope;         // used as scratch memory
    float* input_slope;          // overwritten; null when nobody needs it
    std::span<float> gradients;  // added to
    std::size_t images;
  };
  virtual void backward(const Backward& pass) = 0;

 private:
  std::size_t inputs_, outputs_, parameters_;
};

/// Means of `side` x `side` squares of a one-channel image.
std::unique_ptr<Layer> make_average_pool(std::size_t height, std::size_t width, std::size_t side);
/// output = input * weights + bias, then max(0, output) when `relu`.
std::unique_ptr<Layer> make_dense(std::size_t inputs, std::size_t outputs, bool relu);
/// 3x3 convolution with zero borders, then the maximum of 2x2 squares, then bias and max(0, .).
std::unique_ptr<Layer> make_convolution(std::size_t height, std::size_t width, std::size_t channels,
                                        std::size_t filters);

/// He initialisation ("Delving deep into rectifiers", 2015): normal with variance 2 / fan_in.
void initialise_he(std::span<float> weights, std::size_t fan_in, Random* random);

}  // namespace ringmaster::training
