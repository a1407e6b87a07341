// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "worker/training/network.h"

namespace ringmaster::training {

namespace {

using Layers = std::vector<std::unique_ptr<Layer>>;

Network make_mlp() {
  Layers layers;
  layers.push_back(make_dense(kPixels, 128, true));
  layers.push_back(make_dense(128, kClasses, false));
  return {std::move(layers), 64};
}

Network make_cnn() {
  Layers layers;
  layers.push_back(make_convolution(28, 28, 1, 16));
  layers.push_back(make_convolution(14, 14, 16, 32));
  layers.push_back(make_dense(7 * 7 * 32, 64, true));
  layers.push_back(make_dense(64, kClasses, false));
  return {std::move(layers), 8};
}

Network make_tiny() {
  Layers layers;
  layers.push_back(make_average_pool(kSide, kSide, 4));
  layers.push_back(make_dense(7 * 7, 16, true));
  layers.push_back(make_dense(16, kClasses, false));
  return {std::move(layers), 64};
}

constexpr Model kModels[] = {
    {.name = "mlp", .make = make_mlp, .epochs = 6, .batch = 256, .learning_rate = 0.1},
    {.name = "cnn", .make = make_cnn, .epochs = 4, .batch = 128, .learning_rate = 0.08},
    {.name = "tiny", .make = make_tiny, .epochs = 3, .batch = 128, .learning_rate = 0.3},
};

}  // namespace

std::span<const Model> models() {
  return kModels;
}

std::vector<std::string> model_names() {
  std::vector<std::string> names;
  for (const Model& model : kModels) names.emplace_back(model.name);
  return names;
}

const Model& find_model(std::string_view name) {
  const auto* found = std::find_if(std::begin(kModels), std::end(kModels),
                                   [&](const Model& model) { return model.name == name; });
  CHECK(found != std::end(kModels));
  return *found;
}

}  // namespace ringmaster::training
