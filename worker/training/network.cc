// SPDX-License-Identifier: Apache-2.0
#include "worker/training/network.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace ringmaster::training {

Network::Network(std::vector<std::unique_ptr<Layer>> layers, std::size_t group)
    : layers_(std::move(layers)), group_(group) {
  CHECK(!layers_.empty());
  CHECK_LT(std::size_t{0}, group);
  CHECK_EQ(layers_.front()->inputs(), kPixels);
  CHECK_EQ(layers_.back()->outputs(), kClasses);
  activations_.emplace_back(group * kPixels);
  for (const auto& layer : layers_) {
    CHECK_EQ(layer->inputs() * group, activations_.back().size());
    activations_.emplace_back(group * layer->outputs());
    parameters_ += layer->parameters();
  }
  for (const auto& activation : activations_) slopes_.emplace_back(activation.size());
}

void Network::initialise(std::span<float> parameters, std::uint64_t seed) const {
  CHECK_EQ(parameters.size(), parameters_);
  Random random(seed);
  std::size_t at = 0;
  for (const auto& layer : layers_) {
    layer->initialise(parameters.subspan(at, layer->parameters()), &random);
    at += layer->parameters();
  }
}

double Network::add_gradient(std::span<const float> parameters, const Dataset& data,
                             std::span<const std::uint32_t> samples, std::span<float> gradients,
                             const Complete& complete) {
  CHECK_EQ(parameters.size(), parameters_);
  CHECK_EQ(gradients.size(), parameters_);
  double loss = 0;
  if (samples.empty() && complete) complete_all(complete);
  while (!samples.empty()) {
    const auto some = samples.first(std::min(samples.size(), group_));
    load(data, some);
    forward(parameters, some.size());
    loss += softmax_loss(data, some);
    samples = samples.subspan(some.size());
    backward(parameters, gradients, some.size(), samples.empty() ? complete : nullptr);
  }
  return loss;
}

std::int64_t Network::count_correct(std::span<const float> parameters, const Dataset& data,
                                    std::size_t first, std::size_t count) {
  CHECK_EQ(parameters.size(), parameters_);
  std::int64_t correct = 0;
  std::vector<std::uint32_t> some;
  for (std::size_t end = first + count; first < end; first += some.size()) {
    some.resize(std::min(group_, end - first));
    std::iota(some.begin(), some.end(), static_cast<std::uint32_t>(first));
    load(data, some);
    forward(parameters, some.size());
    for (std::size_t i = 0; i < some.size(); ++i) {
      const float* scores = activations_.back().data() + i * kClasses;
      const auto best = std::max_element(scores, scores + kClasses) - scores;
      correct += best == data.label(some[i]) ? 1 : 0;
    }
  }
  return correct;
}

void Network::load(const Dataset& data, std::span<const std::uint32_t> samples) {
  float* to = activations_.front().data();
  for (const std::uint32_t sample : samples) {
    for (const std::uint8_t pixel : data.image(sample)) *to++ = (pixel - kMean) * kScale;
  }
}

void Network::forward(std::span<const float> parameters, std::size_t images) {
  std::size_t at = 0;
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    const std::size_t count = layers_[i]->parameters();
    layers_[i]->forward(parameters.subspan(at, count), activations_[i].data(),
                        activations_[i + 1].data(), images);
    at += count;
  }
}

void Network::backward(std::span<const float> parameters, std::span<float> gradients,
                       std::size_t images, const Complete& complete) {
  std::size_t at = parameters_;
  for (std::size_t i = layers_.size(); i-- > 0;) {
    const std::size_t count = layers_[i]->parameters();
    at -= count;
    // Below the lowest layer with parameters nobody needs a slope.
    layers_[i]->backward({.parameters = parameters.subspan(at, count),
                          .input = activations_[i].data(),
                          .output = activations_[i + 1].data(),
                          .output_slope = slopes_[i + 1].data(),
                          .input_slope = at > 0 ? slopes_[i].data() : nullptr,
                          .gradients = gradients.subspan(at, count),
                          .images = images});
    if (complete && count > 0) complete(at, count);
  }
}

void Network::complete_all(const Complete& complete) const {
  std::size_t at = parameters_;
  for (std::size_t i = layers_.size(); i-- > 0;) {
    const std::size_t count = layers_[i]->parameters();
    at -= count;
    if (count > 0) complete(at, count);
  }
}

double Network::softmax_loss(const Dataset& data, std::span<const std::uint32_t> samples) {
  double loss = 0;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const float* scores = activations_.back().data() + i * kClasses;
    float* slope = slopes_.back().data() + i * kClasses;
    const float largest = *std::max_element(scores, scores + kClasses);
    float sum = 0;
    for (std::size_t c = 0; c < kClasses; ++c) sum += slope[c] = std::exp(scores[c] - largest);
    for (std::size_t c = 0; c < kClasses; ++c) slope[c] /= sum;
    const std::uint8_t label = data.label(samples[i]);
    loss += std::log(sum) - (scores[label] - largest);
    slope[label] -= 1;
  }
  return loss;
}

}  // namespace ringmaster::training
