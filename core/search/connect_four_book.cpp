#include "search/connect_four_book.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string>

namespace gtpbot {
namespace {

// A book is this mark, the most discs of a position as a byte, and the lines, eight bytes each,
// the lowest byte first.
constexpr std::array<std::uint8_t, 7> kMark = {'C', '4', 'B', 'O', 'O', 'K', '2'};
constexpr std::size_t kLineBytes = 8;
constexpr int kBoundBits = 12;
constexpr int kAnswerBits = 3;
constexpr int kLastColumn = 6;
constexpr int kKeyShift = kBoundBits + kAnswerBits;

struct NoBook : std::invalid_argument {
  NoBook()
      : invalid_argument(
            "no book of Connect Four, or a part of one: expected C4BOOK2, the most discs of a "
            "position, and lines of eight bytes in ascending order") {}
};

std::uint64_t pack(const ConnectFourBook::Line& line) {
  if (line.answer < ConnectFourBook::kNoAnswer || line.answer > kLastColumn) {
    throw std::invalid_argument("an answer in column " + std::to_string(line.answer) +
                                ": expected 0 to " + std::to_string(kLastColumn));
  }
  if (line.bounds.lower < -ScoreBounds::kMost || line.bounds.upper > ScoreBounds::kMost) {
    throw std::invalid_argument("a score beyond " + std::to_string(-ScoreBounds::kMost) + " to " +
                                std::to_string(ScoreBounds::kMost));
  }
  const auto answer = static_cast<std::uint64_t>(line.answer + 1);
  return line.key << kKeyShift | answer << kBoundBits | line.bounds.packed();
}

ConnectFourBook::Line unpack(std::uint64_t bits) {
  const int answer = static_cast<int>(bits >> kBoundBits & ((1 << kAnswerBits) - 1)) - 1;
  return {bits >> kKeyShift, ScoreBounds::unpack(bits), answer};
}

}  // namespace

ConnectFourBook::ConnectFourBook(std::span<const std::uint8_t> bytes) {
  const bool is_book = bytes.size() > kMark.size() && bytes.size() % kLineBytes == 0 &&
                       std::equal(kMark.begin(), kMark.end(), bytes.begin()) &&
                       bytes[kMark.size()] <= kMostDiscs;
  if (!is_book) throw NoBook();
  most_discs_ = bytes[kMark.size()];
  for (bytes = bytes.subspan(kLineBytes); !bytes.empty(); bytes = bytes.subspan(kLineBytes)) {
    std::uint64_t line = 0;
    for (std::size_t i = kLineBytes; i-- > 0;) line = line << 8 | bytes[i];
    const ScoreBounds bounds = unpack(line).bounds;  // none of which lies beyond the most
    const bool follows = lines_.empty() || line >> kKeyShift > lines_.back() >> kKeyShift;
    if (!follows || bounds.lower > bounds.upper) throw NoBook();
    lines_.push_back(line);
  }
}

std::vector<std::uint8_t> ConnectFourBook::encode(int most_discs, std::span<const Line> lines) {
  if (most_discs < 0 || most_discs > kMostDiscs) {
    throw std::invalid_argument("a book of positions of " + std::to_string(most_discs) +
                                " discs: expected 0 to " + std::to_string(kMostDiscs));
  }
  std::vector<std::uint64_t> packed;
  for (const Line& line : lines) packed.push_back(pack(line));
  std::sort(packed.begin(), packed.end());
  std::vector<std::uint8_t> bytes(kMark.begin(), kMark.end());
  bytes.push_back(static_cast<std::uint8_t>(most_discs));
  for (const std::uint64_t line : packed) {
    for (std::size_t i = 0; i < kLineBytes; ++i) {
      bytes.push_back(static_cast<std::uint8_t>(line >> 8 * i));
    }
  }
  return bytes;
}

ConnectFourBook::Line ConnectFourBook::find(std::uint64_t key) const {
  const auto line = std::lower_bound(lines_.begin(), lines_.end(), key << kKeyShift);
  if (line == lines_.end() || *line >> kKeyShift != key) return {key, {}, kNoAnswer};
  return unpack(*line);
}

}  // namespace gtpbot
