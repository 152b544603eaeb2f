// What the `rave` agent believes of moves before it looks into them.
#include <memory>

#include "games/go/guide.hpp"
#include "go_boards.hpp"

namespace gtpbot::go {
namespace {

// The first beliefs about the candidates of `state`, by action; 0.5 without weight for the others.
std::vector<Prior> beliefs(const GoState& state) {
  ActionList actions;
  state.candidates(actions);
  std::vector<Prior> priors(static_cast<std::size_t>(actions.size()));
  Guide(Guide::Params{}).prior(state, actions, priors);
  std::vector<Prior> by_action(static_cast<std::size_t>(state.num_actions()));
  for (int i = 0; i < actions.size(); ++i) {
    by_action[static_cast<std::size_t>(actions[i])] = priors[static_cast<std::size_t>(i)];
  }
  return by_action;
}

GoState state_of(int size, std::string_view drawing, std::map<char, Point>& names) {
  const Drawn drawn = draw(size, drawing);
  GoState state(size);
  for (const Point p : drawn.board.geometry().points) {
    if (is_stone(drawn.board.at(p))) state.place(owner(drawn.board.at(p)), p);
  }
  names = drawn.names;
  return state;
}

void beliefs_are_chances() {
  Rng rng(1);
  for (const int size : {2, 5, 9, 19}) {
    GoState state(size);
    for (int ply = 0; ply < size * size && !state.is_terminal(); ++ply) {
      ActionList actions;
      state.candidates(actions);
      const std::vector<Prior> priors = beliefs(state);
      for (const Action a : actions) {
        const Prior prior = priors[static_cast<std::size_t>(a)];
        CHECK(prior.value >= 0.0f && prior.value <= 1.0f);
        CHECK(prior.weight > 0.0f && prior.weight < 1000.0f);
      }
      const auto count = static_cast<std::uint32_t>(actions.size());
      state.apply_action(actions[static_cast<int>(rng.below(count))]);
    }
  }
}

// Black has just played p, so White thinks of the points near its chain, however long that is.
void near_is_counted_from_the_chain_of_the_last_move() {
  std::map<char, Point> at;
  GoState state = state_of(9,
                           ". . . . . . . . ."
                           ". . . . . . . . ."
                           ". . . . . . . . ."
                           ". . . . . . . . ."
                           ". c p X X X X d ."
                           ". . . . . . . . ."
                           ". . . . . . . . ."
                           ". . . . f . . . ."
                           ". . . . . . . . .",
                           at);
  const auto action = [&](char name) { return state.board().geometry().action(at[name]); };
  state.apply_action(action('p'));
  const std::vector<Prior> priors = beliefs(state);
  const auto value = [&](char name) {
    return priors[static_cast<std::size_t>(action(name))].value;
  };
  CHECK_EQ(value('c'), value('d'));
  CHECK(value('c') > value('f'));
  CHECK(value('c') > priors.back().value);  // the pass
}

// Black to move takes two White stones at a, puts itself into atari at b, and does neither at c.
void captures_are_liked_and_gifts_are_not() {
  std::map<char, Point> at;
  const GoState state = state_of(7,
                                 ". . . . O b ."
                                 ". X X . . O ."
                                 "X O O a . . ."
                                 ". X X . . . ."
                                 ". . . . . . ."
                                 ". . . . c . ."
                                 ". . . . . . .",
                                 at);
  const std::vector<Prior> priors = beliefs(state);
  const auto value = [&](char name) {
    return priors[static_cast<std::size_t>(state.board().geometry().action(at[name]))].value;
  };
  CHECK(value('a') > value('c'));
  CHECK(value('c') > value('b'));
}

// On an empty board after two passes White has komi; where dead stones are still to be removed, the
// game is played out.
void a_game_that_is_decided_is_not_played_on() {
  const Guide guide(Guide::Params{});
  for (const bool remove_dead : {false, true}) {
    Rules rules;
    rules.komi_halves = 1;
    rules.remove_dead = remove_dead;
    Rng rng(1);
    float sum = 0.0f;
    for (int i = 0; i < 100; ++i) {
      GoState state(5, rules);
      for (int pass = 0; pass < 2; ++pass) state.apply_action(state.board().geometry().pass());
      sum += guide.evaluate(state, rng, nullptr);
    }
    CHECK_EQ(sum == -100.0f, !remove_dead);
  }
}

}  // namespace
}  // namespace gtpbot::go

int main() {
  using namespace gtpbot::go;
  beliefs_are_chances();
  near_is_counted_from_the_chain_of_the_last_move();
  captures_are_liked_and_gifts_are_not();
  a_game_that_is_decided_is_not_played_on();
  return gtpbot::check::status();
}
