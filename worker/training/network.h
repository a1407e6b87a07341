// SPDX-License-Identifier: Apache-2.0
//
// Network: layers in a row with a softmax and cross-entropy at the end; gives the loss and the
// gradient of any number of images.
//
// Images go through in small groups of a fixed size: the working set stays in the cache, and the
// speed does not depend on how large a rank's share of the batch is. One pass over the whole share
// would be simpler, and slower per image the larger the share.
//
// Not here: where samples come from (dataset.h, sampler.h) and what is done with the gradient.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "worker/training/dataset.h"
#include "worker/training/layer.h"

namespace ringmaster::training {

class Network {
 public:
  /// `group` is how many images go through the layers at once.
  Network(std::vector<std::unique_ptr<Layer>> layers, std::size_t group);

  std::size_t parameters() const { return parameters_; }
  void initialise(std::span<float> parameters, std::uint64_t seed) const;

  /// Hears of a part of the gradient that is complete, while the rest is still being computed.
  using Complete = std::function<void(std::size_t begin, std::size_t count)>;
  /// Adds the gradient of the SUM of the samples' losses to `gradients`; returns that sum.
  /// `complete`, if given, is called for each layer with parameters, last to first, during the last
  /// group's pass back: only then has the layer seen all images.
  double add_gradient(std::span<const float> parameters, const Dataset& data,
                      std::span<const std::uint32_t> samples, std::span<float> gradients,
                      const Complete& complete = nullptr);

  /// How many of the samples [first, first + count) the network names rightly.
  std::int64_t count_correct(std::span<const float> parameters, const Dataset& data,
                             std::size_t first, std::size_t count);

 private:
  void load(const Dataset& data, std::span<const std::uint32_t> samples);
  void forward(std::span<const float> parameters, std::size_t images);
  void backward(std::span<const float> parameters, std::span<float> gradients, std::size_t images,
                const Complete& complete);
  /// For a rank without samples: it adds nothing, and all of it is complete.
  void complete_all(const Complete& complete) const;
  double softmax_loss(const Dataset& data, std::span<const std::uint32_t> samples);

  std::vector<std::unique_ptr<Layer>> layers_;
  std::size_t group_;
  std::size_t parameters_ = 0;
  std::vector<std::vector<float>> activations_;  // [0] the images, [i] the output of layer i - 1
  std::vector<std::vector<float>> slopes_;       // of the loss, at activations_[i]
};

/// A network with the training schedule that suits it.
struct Model {
  std::string_view name;
  Network (*make)();
  std::int64_t epochs;
  std::int64_t batch;
  double learning_rate;
};

/// mlp, cnn and tiny (a test's model: a step costs well under a millisecond).
std::span<const Model> models();
std::vector<std::string> model_names();
const Model& find_model(std::string_view name);  // one of model_names()

}  // namespace ringmaster::training
