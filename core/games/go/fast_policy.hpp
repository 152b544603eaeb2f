// The weights of a linear softmax policy, ready to be multiplied: the fast rollout policy of Go.
//
// A move's share is exp(sum of the weights of its features / temperature); see move_features.hpp.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "games/go/move_features.hpp"

namespace gtpbot::go {

struct FeatureWeight {
  FeatureKey key;
  float weight;
};

class FastPolicy {
 public:
  // Weights in ascending order of their keys; features that have none weigh nothing, and shapes
  // that have none weigh as Plain::kRareShape. Weights of self-atari above 0 count as 0. Throws
  // std::invalid_argument for keys that are no features and a temperature that is not above 0.
  explicit FastPolicy(std::vector<FeatureWeight> weights, float temperature = 1.0f);

  // The weights in a file: "GOFAST01", then as little-endian numbers their count (32 bits), a sum
  // of their bytes (FNV-1a, 64 bits), all keys (32 bits each), and all weights (signed 16 bits, in
  // units of 1/1024). Throws std::invalid_argument if it is damaged.
  static std::vector<FeatureWeight> parse(std::string_view bytes);
  // Such a file of as many keys and weights, which are rounded and kept within +-32. Features whose
  // weight rounds to nothing are left out, but for shapes: without a weight they would be rare
  // ones. Throws std::invalid_argument for weights that are not finite.
  static std::string encode(std::span<const FeatureKey> keys, std::span<const double> weights);

  // The weight of a feature over the temperature, found slowly: for tests.
  float log_factor(FeatureKey key) const;

  // What a feature multiplies a move's share by.
  float plain(Plain group, int offset) const {
    return plain_[static_cast<std::size_t>(group) + static_cast<std::size_t>(offset)];
  }
  // Of the shape in true colours around a point, by player; 0 where the shape bars the move.
  const std::array<float, 2>& shape(std::uint32_t true_code) const { return shapes_[true_code]; }
  // What the places around the last move multiply the shares of moves there by, given the diamond
  // there as the player sees it; the features of Plain::kNear are counted in.
  struct Diamond {
    const std::array<float, kDiamondPlaces>& factors;        // by places of an image
    const std::array<std::uint8_t, kDiamondPlaces>& places;  // in that image
    float at(std::size_t place) const { return factors[places[place]]; }
  };
  Diamond diamond(std::uint32_t code) const;

 private:
  float factor(float weight) const;
  void add(const FeatureWeight& feature);
  void add_shape(std::uint32_t code, float factor);
  void add_diamond(std::uint32_t code, float factor);
  std::size_t row_of_diamond(std::uint32_t shape);
  void count_in_nearness();
  void bar_shapes();
  std::size_t slot_of(std::uint32_t code) const;

  std::vector<FeatureWeight> weights_;
  float temperature_;
  std::array<float, kNumPlain> plain_;
  std::vector<std::array<float, 2>> shapes_;
  // A hash table with open addressing, of all images of diamonds.
  struct Image {
    std::uint32_t code;
    std::uint32_t diamond : 29;  // in diamonds_
    std::uint32_t symmetry : 3;  // that makes the least image of it
  };
  std::vector<Image> images_;
  std::vector<std::array<float, kDiamondPlaces>> diamonds_;  // the first for all that have none
};

}  // namespace gtpbot::go
