"""The native core of gtpbot: rules, playouts and tree search."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Final

import numpy
from numpy.typing import NDArray


class IllegalMoveError(ValueError):
    pass

class GameOverError(ValueError):
    pass

class State:
    """A position of a game; the words are OpenSpiel's."""

    def clone(self) -> State:
        """An independent copy."""

    @property
    def num_actions(self) -> int:
        """Actions are 0 to num_actions - 1."""

    @property
    def current_player(self) -> int:
        """Who is to move: 0 for Black, the first player, 1 for White."""

    @property
    def is_terminal(self) -> bool:
        """True once the game is over."""

    @property
    def black_value(self) -> float:
        """Of a finished game: 1 if Black won, -1 if White won, 0 if drawn."""

    def legal_actions(self) -> list[int]:
        """The legal actions in ascending order."""

    def candidates(self) -> list[int]:
        """
        The legal actions that a search looks at, ascending: in Go none that fills an own eye.
        """

    def is_legal(self, action: int) -> bool:
        """True if the action may be played now."""

    def apply_action(self, action: int) -> None:
        """
        Plays an action. Raises IllegalMoveError or GameOverError and changes nothing.
        """

    def playout(self, seed: int) -> float:
        """The value for Black of one random playout from here; changes nothing."""

    @property
    def black_heuristic(self) -> float:
        """
        Of a game that is not over: a guess of its value for Black, from -1 to 1.
        """

    @property
    def plane_shape(self) -> tuple[int, int, int]:
        """The shape of planes(); (0, 0, 0) if the game has none."""

    def planes(self) -> Annotated[NDArray[numpy.float32], dict(shape=(None, None, None))]:
        """
        What a net sees, float32 [height, width, planes], from the view of the player to move; row 0 is the lowest. Raises ValueError if the game has no planes.
        """

    @property
    def hash(self) -> int:
        """Equal for equal positions with the same side to move."""

    @property
    def local_key(self) -> int:
        """Equal where the same moves came last and what is about them is alike."""

    def __str__(self) -> str: ...

class CoinState(State):
    """The coin game."""

    def __init__(self, pile: int = 21, max_take: int = 2) -> None:
        """
        Raises ValueError unless 1 <= max_take <= pile <= 1000, and max_take is at most 626.
        """

    @property
    def coins(self) -> int:
        """Coins left."""

class TicTacToeState(State):
    """Tic Tac Toe."""

    def __init__(self) -> None: ...

    def stone_at(self, point: int) -> int:
        """Who has the cell row * 3 + column: 0 Black, 1 White, -1 nobody."""

class ConnectFourState(State):
    """Connect Four."""

    def __init__(self, columns: int = 7, rows: int = 6, length: int = 4) -> None:
        """
        Raises ValueError unless columns * (rows + 1) <= 64 and 2 <= length <= max(columns, rows).
        """

    @property
    def columns(self) -> int: ...

    @property
    def rows(self) -> int: ...

    @property
    def length(self) -> int:
        """How many discs in a row win."""

    def height(self, column: int) -> int:
        """How many discs lie in a column, and the row of the next."""

    def stone_at(self, point: int) -> int:
        """Who has the cell row * columns + column: 0 Black, 1 White, -1 nobody."""

class GoRules:
    """The rules of a game of Go, komi included."""

    def __init__(self, ko: str = 'positional', scoring: str = 'area', suicide: bool = True, komi: float = 7.5, handicap_bonus: str = 'none', remove_dead: bool = False) -> None:
        """
        ko: simple, positional or situational; scoring: area or territory; suicide: of two stones or more; komi: in halves, negative too; handicap_bonus: none, n or n-1 points for White under area scoring; remove_dead: dead stones are taken off before the count. Raises ValueError for any other value.
        """

    @property
    def ko(self) -> str: ...

    @property
    def scoring(self) -> str: ...

    @property
    def suicide(self) -> bool: ...

    @property
    def komi(self) -> float: ...

    @property
    def handicap_bonus(self) -> str: ...

    @property
    def remove_dead(self) -> bool: ...

    def __eq__(self, arg: GoRules, /) -> bool: ...

class GoState(State):
    """
    Go. Points are row * size + column with A1 = 0; action size * size is the pass.
    """

    def __init__(self, size: int, rules: GoRules = ...) -> None:
        """Raises ValueError unless 2 <= size <= 25."""

    @property
    def rules(self) -> GoRules:
        """May be changed at any time; the position stays."""

    @rules.setter
    def rules(self, arg: GoRules, /) -> None: ...

    @property
    def handicap(self) -> int:
        """The number of handicap stones, for White's bonus."""

    @handicap.setter
    def handicap(self, arg: int, /) -> None: ...

    def resume(self, player: int) -> None:
        """
        Makes player the one to move, even in a finished game, which then goes on.
        """

    def add_captures(self, player: int, count: int) -> None:
        """
        As if the player had captured so many more stones before a position that is set up. Raises ValueError if they are fewer than none, or more than a million in all.
        """

    def place(self, player: int, point: int) -> None:
        """
        Puts a setup stone; history begins here. Raises IllegalMoveError, and changes nothing, if the point is taken or a chain would have no liberty.
        """

    @property
    def size(self) -> int: ...

    def stone_at(self, point: int) -> int:
        """0 Black, 1 White, -1 empty."""

    def stones(self, player: int) -> list[int]:
        """The points of a player's stones, ascending."""

    def chain_at(self, point: int) -> tuple[list[int], list[int]]:
        """
        The stones of the chain at a point, and its liberties, both ascending; none where no stone is.
        """

    def captures(self, player: int) -> int:
        """How many stones the player has captured."""

    def black_score(self, dead: Sequence[int] = [], seki: Sequence[int] = []) -> float:
        """
        Black's points less White's under the rules, komi and bonus included, with the chains of the dead points taken off and all others alive. Under territory scoring the eyes of chains in seki count for nobody.
        """

    def owners(self, dead: Sequence[int] = []) -> list[int]:
        """
        Whose each point is with the chains of the dead points taken off and all others alive: [size * size], 1 Black's, -1 White's, 0 nobody's.
        """

    def ownership(self, playouts: int, seed: int) -> list[float]:
        """
        Whose each point is at the end of playouts, on average: [size * size], from -1 for White to 1 for Black.
        """

    def black_lead(self, ownership: Sequence[float]) -> float:
        """
        Black's points less White's, komi and bonus included, if the points are owned so, as ownership() has it. Raises ValueError for another number of points.
        """

    def move_features(self) -> Annotated[NDArray[numpy.uint32], dict(shape=(None, None))]:
        """
        What a linear policy sees of the moves of the player to move that fill no eye, passes left out: uint32 [M, 9], each row an action and the keys of its features, 0 in the places left.
        """

    def why_illegal(self, action: int) -> str:
        """
        occupied, suicide, ko, superko, off the board, or the game is over; empty if legal.
        """

def go_planes(size: int, rules: Sequence[GoRules], moves: Annotated[NDArray[numpy.uint16], dict(shape=(None,), order='C', device='cpu', writable=False)], first: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], plies: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], turned: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.float32], dict(shape=(None, None, None, None))]:
    """
    What a net sees of B positions of games, float32 [B, size, size, planes], while other Python threads run: that after plies[i] of the moves from moves[first[i]] on, under rules[i], in the symmetry turned[i], as nets/symmetry.py numbers them. moves: uint16; first, plies: int64; turned: uint8. Raises IllegalMoveError or GameOverError, and ValueError for places and symmetries that are none.
    """

class ConnectFourSolver:
    """
    Connect Four on 7x6, solved. Values are for the player to move, 1, 0 or -1; exact ones tell how soon: a win is worth 22 less the discs that the winner will have played, a loss the negative. One call at a time; different solvers may work in different threads, and all calls release the interpreter's lock. `seconds` and stop() end them early. All raise ValueError for another size of the board.
    """

    def __init__(self, *, max_bytes: int = 67108864, book: bytes | None = None) -> None:
        """
        max_bytes: the cap on what is remembered of positions; all of it stays from call to call. book: the contents of a book. Raises ValueError for less than 1 MiB or no book.
        """

    def solve(self, state: ConnectFourState, *, exact: bool = False, seconds: float | None = None) -> int | None:
        """
        The value of a position; None if not solved in time. Raises GameOverError.
        """

    def solve_moves(self, state: ConnectFourState, *, exact: bool = False, seconds: float | None = None) -> dict[int, int]:
        """
        The values of the positions after each legal action, for the player who makes it; without those not solved in time. Raises GameOverError.
        """

    def label(self, states: Sequence[ConnectFourState], *, exact: bool = False, seconds: float | None = None) -> Annotated[NDArray[numpy.int8], dict(shape=(None, None))]:
        """
        As solve_moves, of many positions at once: [N, 7] int8, NO_SCORE for actions that are illegal, and in all of a finished game. If ended early, N is how many positions were done.
        """

    def book_answer(self, state: ConnectFourState) -> int | None:
        """
        The action that the book plays, which keeps the outcome; None if it has no answer.
        """

    @staticmethod
    def followers(states: Sequence[ConnectFourState]) -> list[ConnectFourState]:
        """
        What each move of each position leads to, as far as the game goes on: of those that are the same, or mirror images, the last, where the first came.
        """

    @staticmethod
    def book_key(state: ConnectFourState) -> int:
        """The number under which a book has a position and its mirror image."""

    @staticmethod
    def book_action(state: ConnectFourState, action: int) -> int:
        """
        An action of `state` in the image that has its book_key, or one of that image in `state`.
        """

    @staticmethod
    def encode_book(most_discs: int, keys: NDArray[numpy.uint64], scores: NDArray[numpy.int8], answers: NDArray[numpy.int8]) -> bytes:
        """
        The contents of a book of positions of at most so many discs: [N] their book_key, exact scores for the player to move, and what to play, a book_action, or -1. Raises ValueError for an answer that is no column, a score beyond -21 to 21, and discs beyond 0 to 42. What is not in it is searched.
        """

    def stop(self) -> None:
        """End a call in progress at once; from any thread."""

    @property
    def nodes(self) -> int:
        """Positions visited since the beginning."""

    NO_SCORE: int = -128

class Prover:
    """Tells a search of leaves how they end if nobody errs."""

class ConnectFourProver(Prover):
    """Searches a position of 7x6 exactly."""

    def __init__(self, *, threads: int, nodes: int) -> None:
        """
        threads: of the search; each has 16 MiB to remember positions. nodes: positions that a proof may visit. Raises ValueError for no threads.
        """

class SearchReport:
    """What a run of a search did."""

    @property
    def playouts(self) -> int: ...

    @property
    def seconds(self) -> float: ...

class ChildReport:
    """What a search knows about one move at its root."""

    @property
    def action(self) -> int: ...

    @property
    def visits(self) -> int: ...

    @property
    def value_to_move(self) -> float:
        """From -1 to 1 for the player to move at the root; 0 without visits."""

    @property
    def deviation(self) -> float:
        """
        The standard error of value_to_move, or a bound on it; 0 without visits.
        """

    @property
    def prior(self) -> float:
        """Probability from a net; 0 without."""

    @property
    def proof(self) -> str:
        """
        win, draw or loss for the player to move at the root; empty if not proven.
        """

    @property
    def variation(self) -> list[int]:
        """The actions expected, this one first."""

    @property
    def variation_visits(self) -> list[int]:
        """The visits of each action of the variation."""

class Ucb1:
    """mean + exploration * sqrt(ln(parent visits) / visits)."""

    def __init__(self, exploration: float = 0.699999988079071) -> None: ...

class Rave:
    """
    UCB1 on (1 - beta) * mean + beta * AMAF mean, with beta = m / (n + m + n * m / equivalence).
    """

    def __init__(self, exploration: float, equivalence: float) -> None: ...

class MixedUcb:
    """
    mean + exploration * sqrt(ln(parent visits) / visits) + prior_weight * prior / (1 + visits), values from 0 to 1.
    """

    def __init__(self, exploration: float, prior_weight: float) -> None: ...

class WeightedPrior:
    """
    weight * prior / (1 + visits) + (1 - weight) * mean, values from -1 to 1.
    """

    def __init__(self, weight: float) -> None: ...

class Puct:
    """
    mean + c * prior * sqrt(parent visits) / (1 + visits), values from -1 to 1, c = c_puct + ln((1 + parent visits + 19652) / 19652). A move without visits is taken for its parent's mean less fpu_reduction * sqrt(priors of those with). c is multiplied by 1 + by_spread * (s / 0.4 - 1), s the standard deviation of the values below the parent.
    """

    def __init__(self, c_puct: float, fpu_reduction: float = 0.0, by_spread: float = 0.0) -> None: ...

class Evaluator:
    """Values a leaf by one uniformly random playout."""

    def __init__(self) -> None: ...

    def mean_value(self, root: object, playouts: int, seed: int = 0) -> float:
        """
        The value for Black, from -1 to 1, on average over so many evaluations of `root`, a native state or any object with the methods of games.base.State. Releases the interpreter's lock. Raises ValueError for no playouts.
        """

class DecisivePlayouts(Evaluator):
    """
    Values a leaf by one playout whose players win where they can and keep the other from it, in games that see such moves at a glance, as Connect Four; random otherwise. A search looks into no other moves, either.
    """

    def __init__(self) -> None: ...

class GoGuide(Evaluator):
    """Go playouts and first beliefs for `rave`."""

    def __init__(self, *, atari_rate: float = 0.8999999761581421, pattern_rate: float = 0.949999988079071, prior_weight: float = 1.0) -> None:
        """
        atari_rate, pattern_rate: how often a playout looks for answers of these kinds to the last move; prior_weight scales the beliefs about moves not yet tried.
        """

class GoFastPolicy(Evaluator):
    """
    Go playouts by a linear softmax policy, and GoGuide's first beliefs. A move has at most MOST_FEATURES features. PLAIN, SHAPE and DIAMOND are the first keys of each kind; the plain ones end with those of self-atari, from SELF_ATARI on, and RARE_SHAPE, which stands for shapes that have no weight.
    """

    def __init__(self, weights: bytes, *, temperature: float = 1.0, prior_weight: float = 1.0) -> None:
        """
        weights: the bytes of a file of weights; temperature: above 1 it evens out the chances of moves, below 1 it sharpens them; prior_weight as in GoGuide. Raises ValueError if the weights are damaged.
        """

    @staticmethod
    def encode(keys: NDArray[numpy.uint32], weights: NDArray[numpy.float64]) -> bytes:
        """
        The bytes of a file of weights: [N] keys of features, in ascending order, and [N] what each weighs. Raises ValueError for weights that are not finite.
        """

    MOST_FEATURES: int = 8

    PLAIN: int = 536870912

    SELF_ATARI: int = 536870966

    RARE_SHAPE: int = 536870970

    SHAPE: int = 1073741824

    DIAMOND: int = 1610612736

class Search:
    """A tree search from one root."""

    def __init__(self, root: object, evaluator: Evaluator, rule: Ucb1 | Rave | MixedUcb | WeightedPrior | Puct, *, threads: int = 1, max_bytes: int = 536870912, seed: int = 0, expand_visits: int = 1, max_tree_depth: int | None = None, transpositions: bool = False, forbidden: Sequence[tuple[int, int, int]] = [], stop_early: bool = True, lower_bound: tuple[float, float] | None = None, prover: Prover | None = None, bias_correction: float = 0.0) -> None:
        """
        root: a native state, or any object with the methods of games.base.State. max_bytes: the cap on the tree's memory. expand_visits: visits of a node before its children are made; evaluators with nets make them at the first. max_tree_depth: nodes so many moves below the root get no children. transpositions: share what is known of a position between all ways to it, where the game allows. forbidden: moves not to look at while others are legal, as (player, action, for how many moves from the root); not together with transpositions. stop_early: end a run that has a limit of time once the most visited move cannot be overtaken, or all others are known to lose. lower_bound: (share, errors), not to stop early while another move, of more than this share of the most visits, is better even so many standard errors below its mean. prover: asked before the evaluator, which is to be one with nets, about leaves below the root, and below the moves within which something is forbidden. bias_correction: the share of a net's errors so far, in positions that are locally alike, by which its later values are corrected; not in a tree with transpositions. Raises ValueError for options out of range, MemoryError for too large a cap.
        """

    def run(self, playouts: int | None = None, seconds: float | None = None, root_actions: Sequence[int] = []) -> SearchReport:
        """
        Search until a limit, a proof, or stop(); with nets and without rollouts, until the tree is full. With `seconds` and stop_early, also ends once the most visited move cannot be overtaken, or all others are known to lose. With `root_actions`, looks at these moves only, at all equally often, as sequential halving does. Releases the interpreter's lock. Raises ValueError for a root action that is not searched, as one that fills an eye, and what a Python state or net raised.
        """

    def set_root_priors(self, priors: Mapping[int, float]) -> None:
        """
        Replace the priors of the root's moves, {action: probability}, as root noise does. Raises ValueError if the root has no children yet, or for an action without one.
        """

    def stop(self) -> None:
        """End a run in progress at once; from any thread."""

    def reset(self, root: object) -> None:
        """Forget everything and begin at another state of the same game."""

    def advance(self, action: int) -> None:
        """
        Move the root along an action and keep what is known below it, or nothing if moves are forbidden, as they are for so many moves from the root.
        """

    def children(self, depth: int = 1) -> list[ChildReport]:
        """
        The moves at the root, best first, with variations of at most `depth` actions; from any thread, during a run too.
        """

    @property
    def root_proof(self) -> str:
        """win, draw or loss for the player to move; empty if not proven."""

    @property
    def root_visits(self) -> int:
        """All playouts through the root, with those that earlier searches left."""

    @property
    def root_hash(self) -> int: ...

    @property
    def num_nodes(self) -> int: ...

    @property
    def max_nodes(self) -> int: ...

    node_bytes: Final[int] = ...
    """(arg: object, /) -> int"""

class Net:
    """A neural net, as a search sees it; remembers positions seen last."""

    def __init__(self, forward: object, planes: tuple[int, int, int], num_actions: int, *, has_policy: bool, has_value: bool, memory: int = 65536, gathers: int = 0) -> None:
        """
        forward: a function from planes, float32 [batch, height, width, planes], good only during the call, to the pair (policy, value): probabilities [batch, num_actions] and values [batch] from -1 to 1 for the player to move, float32, or None for what the net has not. Called by several threads. memory: positions to remember. gathers: so many threads call it at a time, each with the positions of all that wait; 0: each with its own, at once. Raises ValueError if that is negative.
        """

    def evaluate(self, state: State, symmetry_seed: int | None = None, images: int = 1) -> tuple:
        """
        The pair (policy, value) of one native state: the probabilities of all actions, illegal ones too, and the value from -1 to 1 for the player to move; None for what the net has not. With a symmetry_seed the net is shown a position of Go in so many orientations, from 1 to 8, at random, and one of Connect Four as it is and mirrored, and the mean counts. Raises ValueError if it is a net for another game.
        """

    @property
    def evaluations(self) -> int:
        """
        How many positions the function was given so far, images counted one by one.
        """

    @property
    def has_policy(self) -> bool: ...

    @property
    def has_value(self) -> bool: ...

class NetEvaluator(Evaluator):
    """
    Values leaves by value_weight * value net + (1 - value_weight) * rollout, in batches.
    """

    def __init__(self, *, prior: Net | None = None, value: Net | None = None, rollout_policy: Net | None = None, playouts: Evaluator | None = None, rollout: str = 'none', rollout_depth: int | None = None, value_weight: float = 0.0, batch_size: int = 8, symmetry_seed: int | None = None, images: int = 1, memory: int = 0) -> None:
        """
        prior: the net for the probabilities of moves; none: all alike. value: the net for values. rollout: none, random, policy, which plays by the net rollout_policy, or playouts, which are those of that evaluator, to the end of the game. rollout_depth: moves after which a rollout is cut off, and is worth what the value net says, or 0 without one; none: the whole game. symmetry_seed, images: leaves are shown as Net.evaluate does it; none: as they are. memory: positions of which to remember what a net said that alone gives priors and values, whichever way led there, in games where that matters, as Go. Raises ValueError if the parts do not fit together.
        """

class ExactReport:
    """What the deepest look found that was completed."""

    @property
    def best(self) -> list[int]:
        """All actions of the greatest value, in ascending order."""

    @property
    def value_to_move(self) -> float:
        """From -1 to 1."""

    @property
    def proven(self) -> bool:
        """True if looking deeper cannot change it."""

    @property
    def depth(self) -> int:
        """Moves looked ahead; 0 if there was no time for any."""

    @property
    def nodes(self) -> int:
        """Positions visited."""

class ExactSearch:
    """Minimax, or alpha-beta with a table of positions."""

    def __init__(self, prune: bool, heuristic: bool = True) -> None:
        """
        prune: alpha-beta; otherwise plain minimax. heuristic: positions at the horizon are judged by the state's heuristic; otherwise they count as drawn.
        """

    def run(self, root: object, actions: Sequence[int], *, depth: int | None = None, nodes: int | None = None, seconds: float | None = None) -> ExactReport:
        """
        Weigh `actions` in `root`, a native state or any object with the methods of games.base.State, looking one move ahead, then two, to a limit, a proof, or stop(). Releases the interpreter's lock. Raises IllegalMoveError for an action that is not legal, ValueError for none or a depth not from 1 to 1000.
        """

    def stop(self) -> None:
        """End a run in progress at once; from any thread."""

def perft(state: object, depth: int) -> tuple[int, int]:
    """
    How many sequences of exactly `depth` legal moves there are, and how many of them end the game.
    """
