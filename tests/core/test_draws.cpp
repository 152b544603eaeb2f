// Draws: every number as likely as the next, wherever in the word it comes from.
#include <array>

#include "check.hpp"
#include "draws.hpp"

namespace gtpbot {
namespace {

constexpr int kWordsRead = 20000;

// Chi-square of the counts of `kWordsRead` draws, over its degrees of freedom: about 1.
double unevenness(std::uint32_t bound, int before) {
  std::array<int, Draws::kMaxBound> counts{};
  Rng rng(bound);
  for (int i = 0; i < kWordsRead; ++i) {
    Draws draws(rng);
    for (int skipped = 0; skipped < before; ++skipped) draws.below(Draws::kMaxBound);
    ++counts[draws.below(bound)];
  }
  const double mean = static_cast<double>(kWordsRead) / bound;
  double chi_square = 0;
  for (std::uint32_t i = 0; i < bound; ++i) {
    chi_square += (counts[i] - mean) * (counts[i] - mean) / mean;
  }
  return chi_square / (bound - 1);
}

void all_numbers_are_as_likely() {
  for (std::uint32_t bound : {2u, 3u, 7u, 9u, 31u, 32u}) {
    for (int before : {0, 1, 7, 8}) CHECK(unevenness(bound, before) < (bound < 4 ? 12 : 4));
  }
}

void one_number_needs_no_luck() {
  Rng rng(1);
  Draws draws(rng);
  for (int i = 0; i < 20; ++i) CHECK_EQ(draws.below(1), 0u);
}

}  // namespace
}  // namespace gtpbot

int main() {
  gtpbot::all_numbers_are_as_likely();
  gtpbot::one_number_needs_no_luck();
  return gtpbot::check::status();
}
