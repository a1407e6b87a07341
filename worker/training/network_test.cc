// SPDX-License-Identifier: Apache-2.0
#include "worker/training/network.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "worker/training/synthetic_data.h"

namespace ringmaster::training {
namespace {

std::vector<std::uint32_t> all_samples(const Dataset& data) {
  std::vector<std::uint32_t> samples(data.size());
  std::iota(samples.begin(), samples.end(), 0U);
  return samples;
}

struct Trained {
  explicit Trained(const Model& model) : network(model.make()), weights(network.parameters()) {
    network.initialise(weights, 3);
  }
  std::vector<float> gradient(const Dataset& data, std::span<const std::uint32_t> samples,
                              double* loss = nullptr) {
    std::vector<float> sums(weights.size(), 0.0F);
    const double sum = network.add_gradient(weights, data, samples, sums);
    if (loss != nullptr) *loss = sum;
    return sums;
  }
  Network network;
  std::vector<float> weights;
};

class EveryModel : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Network, EveryModel, testing::ValuesIn(model_names()),
                         [](const auto& model) { return model.param; });

TEST_P(EveryModel, GradientIsTheSlopeOfTheLoss) {
  Trained model(find_model(GetParam()));
  const Dataset data = make_synthetic_data(9, 1);
  const auto samples = all_samples(data);
  const auto gradient = model.gradient(data, samples);
  // Along the gradient itself: one direction that every parameter takes part in.
  double square = 0;
  for (const float slope : gradient)
    square += static_cast<double>(slope) * static_cast<double>(slope);
  const double norm = std::sqrt(square), step = 2e-3;
  double losses[2];
  const auto start = model.weights;
  for (const int side : {0, 1}) {
    for (std::size_t i = 0; i < start.size(); ++i) {
      model.weights[i] =
          start[i] + static_cast<float>((side == 0 ? -step : step) / norm) * gradient[i];
    }
    model.gradient(data, samples, &losses[side]);
  }
  EXPECT_NEAR((losses[1] - losses[0]) / (2 * step) / norm, 1.0, 0.03);
}

TEST_P(EveryModel, SameInputsGiveTheSameBits) {
  const Dataset data = make_synthetic_data(150, 2);
  Trained one(find_model(GetParam())), other(find_model(GetParam()));
  const auto samples = all_samples(data);
  EXPECT_EQ(one.weights, other.weights);
  EXPECT_EQ(one.gradient(data, samples), other.gradient(data, samples));
  one.gradient(data, std::span(samples).first(3));  // what went through before leaves no trace
  EXPECT_EQ(one.gradient(data, samples), other.gradient(data, samples));
}

TEST_P(EveryModel, SharesAddUpToTheWhole) {
  const Dataset data = make_synthetic_data(70, 2);
  Trained model(find_model(GetParam()));
  const auto samples = all_samples(data);
  double whole_loss = 0, first_loss = 0, second_loss = 0;
  const auto whole = model.gradient(data, samples, &whole_loss);
  const auto first = model.gradient(data, std::span(samples).first(33), &first_loss);
  const auto second = model.gradient(data, std::span(samples).subspan(33), &second_loss);
  EXPECT_NEAR(whole_loss, first_loss + second_loss, 1e-3);
  for (std::size_t i = 0; i < whole.size(); ++i) {
    ASSERT_NEAR(whole[i], first[i] + second[i], 1e-3 + 1e-3 * std::fabs(whole[i])) << i;
  }
}

TEST_P(EveryModel, AnEmptyShareIsNothing) {
  const Dataset data = make_synthetic_data(1, 2);
  Trained model(find_model(GetParam()));
  double loss = 1;
  EXPECT_EQ(model.gradient(data, {}, &loss), std::vector<float>(model.weights.size(), 0.0F));
  EXPECT_EQ(loss, 0);
  EXPECT_EQ(model.network.count_correct(model.weights, data, 1, 0), 0);
}

TEST_P(EveryModel, PartsOfTheGradientAreCompleteWhenTheyAreSaidToBe) {
  const Dataset data = make_synthetic_data(150, 2);
  Trained model(find_model(GetParam()));
  for (const std::size_t count : {std::size_t{0}, std::size_t{5}, data.size()}) {
    const auto all = all_samples(data);
    const auto samples = std::span(all).first(count);
    const auto whole = model.gradient(data, samples);
    std::vector<float> sums(whole.size(), 0.0F);
    std::size_t end = whole.size();
    model.network.add_gradient(model.weights, data, samples, sums,
                               [&](std::size_t begin, std::size_t size) {
                                 EXPECT_EQ(begin + size, end);  // last to first, without gaps
                                 end = begin;
                                 for (std::size_t i = begin; i < begin + size; ++i) {
                                   ASSERT_EQ(sums[i], whole[i]) << i;
                                 }
                               });
    EXPECT_EQ(end, 0u);
    EXPECT_EQ(sums, whole);
  }
}

TEST(Network, LearnsAndCounts) {
  const Dataset data = make_synthetic_data(200, 4);
  Trained model(find_model("tiny"));
  const auto samples = all_samples(data);
  double before = 0, after = 0;
  model.gradient(data, samples, &before);
  for (int step = 0; step < 200; ++step) {
    const auto gradient = model.gradient(data, samples, &after);
    for (std::size_t i = 0; i < gradient.size(); ++i) model.weights[i] -= 0.001F * gradient[i];
  }
  EXPECT_LT(after, before / 4);
  const auto all = model.network.count_correct(model.weights, data, 0, 200);
  EXPECT_LT(180, all);
  EXPECT_EQ(all, model.network.count_correct(model.weights, data, 0, 77) +
                     model.network.count_correct(model.weights, data, 77, 123));
}

}  // namespace
}  // namespace ringmaster::training
