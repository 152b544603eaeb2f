// The rules of Go that may be chosen, as a value.
#pragma once

namespace gtpbot::go {

// Which repetitions are forbidden: only retaking a single stone at once; any earlier position of
// the board; any earlier position with the same player to move.
enum class KoRule { kSimple, kPositional, kSituational };

// Area counts stones and surrounded points; territory counts surrounded points and prisoners.
enum class Scoring { kArea, kTerritory };

// What White gets for n handicap stones, two or more, under area scoring: one is no handicap.
enum class HandicapBonus { kNone, kN, kNMinus1 };

// By default those of Tromp and Taylor, as in games/go_rules.py.
struct Rules {
  KoRule ko = KoRule::kPositional;
  Scoring scoring = Scoring::kArea;
  // Suicide of two stones or more. A single stone never may: it would only be a pass.
  bool suicide = true;
  HandicapBonus handicap_bonus = HandicapBonus::kNone;
  // Dead stones are taken off before the count, by agreement; otherwise all on the board count.
  bool remove_dead = false;
  int komi_halves = 15;  // half points

  bool operator==(const Rules&) const = default;
};

}  // namespace gtpbot::go
