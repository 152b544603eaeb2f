#include "games/go/fast_policy.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "hash.hpp"

namespace gtpbot::go {
namespace {

constexpr std::string_view kMagic = "GOFAST01";
constexpr std::size_t kHeader = 8 + 4 + 8;
constexpr double kUnit = 1.0 / 1024;
constexpr std::uint32_t kNoCode = ~0u;  // of no diamond

std::uint64_t number(std::string_view bytes, std::size_t at, std::size_t width) {
  std::uint64_t value = 0;
  for (std::size_t i = width; i > 0; --i) {
    value = value << 8 | static_cast<unsigned char>(bytes[at + i - 1]);
  }
  return value;
}

std::string little_endian(std::uint64_t value, std::size_t width) {
  std::string bytes;
  for (std::size_t i = 0; i < width; ++i) bytes += static_cast<char>(value >> (8 * i) & 255);
  return bytes;
}

std::uint64_t checksum(std::string_view bytes) {
  std::uint64_t hash = 0xcbf29ce484222325ull;
  for (const char byte : bytes) hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100000001b3ull;
  return hash;
}

// Kept where products of some factors are neither 0 nor infinite, however low the temperature is.
float clamped_exp(float log_factor) {
  constexpr float kMost = 20.0f;
  return std::exp(std::clamp(log_factor, -kMost, kMost));
}

void require(bool ok, const char* what) {
  if (!ok) throw std::invalid_argument(std::string("weights of a fast policy of Go: ") + what);
}

// At most: those that weights are of.
std::size_t num_diamonds(const std::vector<FeatureWeight>& weights) {
  std::uint32_t last = kNoCode;
  std::size_t found = 0;
  for (const FeatureWeight& feature : weights) {  // in order, so equal ones follow each other
    if (kind_of(feature.key) != FeatureKind::kDiamond) continue;
    found += code_of(feature.key) >> 4 != last;
    last = code_of(feature.key) >> 4;
  }
  return found;
}

bool is_feature(FeatureKey key) {
  const std::uint32_t code = code_of(key);
  switch (kind_of(key)) {
    case FeatureKind::kPlain:
      return code < kNumPlain;
    case FeatureKind::kShape:
      return code < 1u << kShapeBits;
    case FeatureKind::kDiamond:
      return (code & 15) < kDiamondPlaces;
  }
  return false;
}

}  // namespace

std::vector<FeatureWeight> FastPolicy::parse(std::string_view bytes) {
  require(bytes.substr(0, kMagic.size()) == kMagic, "expected a file that begins with GOFAST01");
  require(bytes.size() >= kHeader, "the file is cut off");
  const std::size_t count = number(bytes, 8, 4);
  const std::string_view body = bytes.substr(kHeader);
  require(body.size() == count * 6, "the file is not as long as it says");
  require(checksum(body) == number(bytes, 12, 8), "the file is damaged: its sum is wrong");
  std::vector<FeatureWeight> weights(count);
  for (std::size_t i = 0; i < count; ++i) {
    const auto units = static_cast<std::int16_t>(number(body, 4 * count + 2 * i, 2));
    weights[i] = {static_cast<FeatureKey>(number(body, 4 * i, 4)),
                  static_cast<float>(kUnit * units)};
  }
  return weights;
}

std::string FastPolicy::encode(std::span<const FeatureKey> keys, std::span<const double> weights) {
  constexpr double kMost = 32767;
  std::string all_keys, all_units;
  std::uint64_t count = 0;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    require(std::isfinite(weights[i]), "a weight that is not finite");
    const double units = weights[i] / kUnit;
    if (std::abs(units) < 0.5 && kind_of(keys[i]) != FeatureKind::kShape) continue;
    const double rounded = std::nearbyint(std::clamp(units, -kMost - 1, kMost));
    all_keys += little_endian(static_cast<std::uint64_t>(keys[i]), 4);
    all_units += little_endian(static_cast<std::uint64_t>(static_cast<std::int64_t>(rounded)), 2);
    ++count;
  }
  const std::string body = all_keys + all_units;
  return std::string(kMagic) + little_endian(count, 4) + little_endian(checksum(body), 8) + body;
}

FastPolicy::FastPolicy(std::vector<FeatureWeight> weights, float temperature)
    : weights_(std::move(weights)),
      temperature_(temperature),
      shapes_(std::size_t{1} << kShapeBits) {
  require(temperature > 0.0f && std::isfinite(temperature), "expected a temperature above 0");
  const auto before = [](const FeatureWeight& a, const FeatureWeight& b) { return a.key < b.key; };
  require(std::adjacent_find(weights_.begin(), weights_.end(),
                             [&](const auto& a, const auto& b) { return !before(a, b); }) ==
              weights_.end(),
          "expected keys in ascending order");
  for (FeatureWeight& feature : weights_) {
    require(is_feature(feature.key) && std::isfinite(feature.weight), "a key that is no feature");
    const bool self_atari =
        feature.key >= plain_key(Plain::kSelfAtari) && feature.key < plain_key(Plain::kRareShape);
    if (self_atari) feature.weight = std::min(feature.weight, 0.0f);
  }
  images_.assign(std::bit_ceil(2 * 8 * num_diamonds(weights_) + 1), {kNoCode, 0, 0});
  plain_.fill(1.0f);
  const float rare = clamped_exp(log_factor(plain_key(Plain::kRareShape)));
  std::fill(shapes_.begin(), shapes_.end(), std::array{rare, rare});
  diamonds_.emplace_back().fill(1.0f);
  for (const FeatureWeight& feature : weights_) add(feature);
  bar_shapes();
  count_in_nearness();
}

void FastPolicy::count_in_nearness() {
  for (std::size_t place = 0; place < kDiamondPlaces; ++place) {
    const float factor = plain(Plain::kNear, steps_to(static_cast<int>(place)));
    for (auto& factors : diamonds_) factors[place] *= factor;
  }
}

void FastPolicy::bar_shapes() {
  constexpr std::uint32_t kRings = 1u << 16;
  for (const Player player : {Player::kBlack, Player::kWhite}) {
    for (std::uint32_t ring = 0; ring < kRings; ++ring) {
      const bool eye = shape_is_eye(player, ring);
      for (std::uint32_t code = ring; code < shapes_.size(); code += kRings) {
        if (eye || shape_is_suicide(player, code)) {
          shapes_[code][static_cast<std::size_t>(player)] = 0.0f;
        }
      }
    }
  }
}

float FastPolicy::log_factor(FeatureKey key) const {
  const auto found =
      std::lower_bound(weights_.begin(), weights_.end(), key,
                       [](const FeatureWeight& a, FeatureKey wanted) { return a.key < wanted; });
  if (found != weights_.end() && found->key == key) return found->weight / temperature_;
  return kind_of(key) == FeatureKind::kShape ? log_factor(plain_key(Plain::kRareShape)) : 0.0f;
}

float FastPolicy::factor(float weight) const { return clamped_exp(weight / temperature_); }

void FastPolicy::add(const FeatureWeight& feature) {
  const std::uint32_t code = code_of(feature.key);
  switch (kind_of(feature.key)) {
    case FeatureKind::kPlain:
      plain_[code] = factor(feature.weight);
      break;
    case FeatureKind::kShape:
      add_shape(code, factor(feature.weight));
      break;
    case FeatureKind::kDiamond:
      add_diamond(code, factor(feature.weight));
      break;
  }
}

void FastPolicy::add_shape(std::uint32_t code, float factor) {
  for (int s = 0; s < 8; ++s) {
    const std::uint32_t image = shape_image(code, s);
    for (const Player player : {Player::kBlack, Player::kWhite}) {
      const std::uint32_t true_code = seen_by(player, image, kShapeColors);
      shapes_[true_code][static_cast<std::size_t>(player)] = factor;
    }
  }
}

void FastPolicy::add_diamond(std::uint32_t code, float factor) {
  const std::uint32_t shape = code >> 4;
  const std::size_t place = code & 15;
  std::array<float, kDiamondPlaces>& factors = diamonds_[row_of_diamond(shape)];
  for (int s = 0; s < 8; ++s) {
    if (diamond_image(shape, s) == shape) factors[diamond_places(s)[place]] = factor;
  }
}

// The row of a diamond, given as its least image; a new one if it has none yet.
std::size_t FastPolicy::row_of_diamond(std::uint32_t shape) {
  const Image& known = images_[slot_of(shape)];
  if (known.code == shape) return known.diamond;
  const std::size_t row = diamonds_.size();
  diamonds_.emplace_back().fill(1.0f);
  for (int s = 0; s < 8; ++s) {
    const std::uint32_t code = diamond_image(shape, s);
    Image& image = images_[slot_of(code)];
    image.code = code;
    image.diamond = row & ((1u << 29) - 1);
    image.symmetry = static_cast<std::uint32_t>(least_diamond(code).symmetry) & 7;
  }
  return row;
}

// Where `code` is, or would be put.
std::size_t FastPolicy::slot_of(std::uint32_t code) const {
  const std::size_t mask = images_.size() - 1;
  std::size_t slot = (spread(code) >> 32) & mask;
  while (images_[slot].code != code && images_[slot].code != kNoCode) slot = (slot + 1) & mask;
  return slot;
}

FastPolicy::Diamond FastPolicy::diamond(std::uint32_t code) const {
  const Image& image = images_[slot_of(code)];
  if (image.code != code) return {diamonds_[0], diamond_places(0)};
  return {diamonds_[image.diamond], diamond_places(image.symmetry)};
}

}  // namespace gtpbot::go
