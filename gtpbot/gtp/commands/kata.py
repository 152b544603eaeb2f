"""What clients of KataGo ask for: its parameters by its names, and a net's bare opinion."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence

import gtpcore
from gtpbot.gtp.arguments import (
    Arguments,
    interpret_float,
    interpret_player,
    is_player,
    syntax_error,
)
from gtpbot.gtp.commands.group import Group, is_go
from gtpbot.gtp.protocol import GtpError
from gtpbot.gtp.session import Session
from gtpbot.options import OptionsError, shown
from gtpbot.report.insight import ENOUGH, Insight, winrate
from gtpbot.text.words import quote, suggest
from search.board_net import SYMMETRIES, BoardNet

UNLIMITED = 2**50
"""What KataGo says for a limit that is none."""
LIMITS = {"maxVisits": "playouts", "maxPlayouts": "playouts", "maxTime": "seconds"}
"""KataGo's names of parameters that agents with a search have, beside the agent's own names."""
ABSENT = (
    "analysisWideRootNoise",
    "playoutDoublingAdvantage",
    "ponderingEnabled",
    "wideRootNoise",
)
"""What clients of KataGo set and this program has not: each is 0, and may be set to 0."""


def get_param(session: Session, args: Arguments) -> str:
    """PARAMETER: its value."""
    key = args.one()
    if key in ABSENT:
        return "0"
    known = _known(session)
    if key not in known:
        raise _unknown(session, key)
    return known[key]


def set_param(session: Session, args: Arguments) -> None:
    """PARAMETER VALUE: set it, for the game in play and those to come."""
    key, value = args.exactly(2)
    _set(session, {key: value})


def get_params(session: Session, args: Arguments) -> str:
    """Every parameter and its value, as JSON."""
    args.none()
    return json.dumps(dict(_known(session)) | dict.fromkeys(ABSENT, "0"))


def set_params(session: Session, args: Arguments) -> None:
    """JSON: set all parameters in it, or none."""
    try:
        settings = json.loads(args.text)
    except (ValueError, RecursionError) as error:
        raise syntax_error(f"parameters {quote(args.text)}: expected JSON: {error}") from None
    if not isinstance(settings, dict):
        raise syntax_error(f"parameters {quote(args.text)}: expected an object of JSON")
    _set(session, {key: shown(value) for key, value in settings.items()})


def list_params(session: Session, args: Arguments) -> str:
    """The names of all parameters, on one line."""
    args.none()
    return " ".join([*_known(session), *ABSENT])


def raw_nn(session: Session, args: Arguments) -> str:
    """[COLOUR] SYMMETRY [OPTIMISM]: what the agent's net says of the position.

    It is shown the board turned in one of eight ways, or in all of them one after the other. Its
    policy is the same whatever the optimism, from 0 to 1.
    """
    words = args.between(1, 3)
    player = session.position.to_move
    if is_player(words[0]):
        player = interpret_player(words.pop(0))
    symmetries = _symmetries(words)
    agent = session.thinker.agent
    net = agent.nets.get("net")
    if not isinstance(net, BoardNet):
        raise GtpError(f"agent {agent.name} has no net")
    insight = Insight(agent, session.question(player)[0])
    return "\n".join(line for symmetry in symmetries for line in _raw(net, insight, symmetry))


def _symmetries(words: Sequence[str]) -> Sequence[int]:
    """Those that `SYMMETRY [OPTIMISM]` names."""
    every = {str(symmetry): [symmetry] for symmetry in SYMMETRIES} | {"all": SYMMETRIES}
    symmetry, *optimism = words or [""]
    if symmetry.lower() not in every:
        raise syntax_error(f"symmetry {quote(symmetry)}: expected 0 to 7, or all")
    if len(optimism) > 1 or not all(0 <= interpret_float(text) <= 1 for text in optimism):
        raise syntax_error(f"optimism {quote(' '.join(optimism))}: expected a number from 0 to 1")
    return every[symmetry.lower()]


def _raw(net: BoardNet, insight: Insight, symmetry: int) -> Iterator[str]:
    state, white = insight.position.state, -insight.sign
    assert isinstance(state, gtpcore.GoState)
    bare = net.bare(state, symmetry)
    yield f"symmetry {symmetry}"
    if bare.value_to_move is not None:
        yield f"whiteWin {winrate(white * bare.value_to_move):.6f}"
        yield f"whiteLoss {winrate(-white * bare.value_to_move):.6f}"
        yield "noResult 0.000000"
    score, owners = bare.board.score_to_move, bare.board.ownership or _played_out(insight)
    yield f"whiteLead {-state.black_lead(owners) if score is None else white * score:.3f}"
    if bare.policy is not None:
        yield from _policy(bare.policy, state)
    yield "whiteOwnership"
    yield from _grid([f"{-owner:.6f}" for owner in owners], state.size)


def _played_out(insight: Insight) -> Sequence[float]:
    """The owners for a net that does not tell them."""
    insight.refine(ENOUGH)
    assert insight.owners is not None
    return insight.owners


def _policy(policy: Sequence[float], state: gtpcore.GoState) -> Iterator[str]:
    legal = set(state.legal_actions())
    total = sum(policy[action] for action in legal) or 1.0
    shares = [
        f"{policy[action] / total:.6f}" if action in legal else "NAN"
        for action in range(state.num_actions)
    ]
    yield "policy"
    yield from _grid(shares[:-1], state.size)
    yield f"policyPass {shares[-1]}"


def _grid(texts: Sequence[str], size: int) -> Iterator[str]:
    """Rows from the top."""
    for row in reversed(range(size)):
        yield " ".join(texts[row * size : (row + 1) * size])


def _known(session: Session) -> Mapping[str, str]:
    """Parameters by both names that they have, as text."""
    own = dict(session.thinker.agent.params)
    kata = {key: own[name] for key, name in LIMITS.items() if name in own}
    limits = {key: UNLIMITED if value is None else value for key, value in kata.items()}
    return {key: shown(value) for key, value in {**limits, **own}.items()}


def _set(session: Session, settings: Mapping[str, str]) -> None:
    """Set all, or raise GtpError."""
    known = _known(session)
    wanted: dict[str, dict[str, str]] = {}
    for key, value in settings.items():
        if key in ABSENT:
            _check_absent(key, value)
        elif key in known:
            wanted.setdefault(LIMITS.get(key, key), {})[key] = value
        else:
            raise _unknown(session, key)
    if wanted:
        changes = {name: _least(values, known) for name, values in wanted.items()}
        try:
            session.change_params(changes)
        except OptionsError as error:
            raise GtpError(str(error)) from None


def _least(values: Mapping[str, str], known: Mapping[str, str]) -> str:
    """What a parameter is to be, by the values of its names: of several limits all hold.

    A client may tell all that it was told, and one of them changed, which counts then.
    """
    new = {key: value for key, value in values.items() if value != known[key]} or values
    limits = [_limit(key, value) for key, value in new.items()]
    return min(limits, key=lambda text: int(text) if _is_number(text) else UNLIMITED)


def _limit(key: str, value: str) -> str:
    """A value as an agent's parameter has it: KataGo has no word for no limit."""
    if key in LIMITS and _is_number(value) and (len(value) > 20 or int(value) >= UNLIMITED):
        return "none"
    return value


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit()


def _check_absent(key: str, value: str) -> None:
    if value.lower() != "false" and not re.fullmatch(r"[+-]?(0+\.?0*|\.0+)", value):
        raise GtpError(f"{key} {quote(value)}: expected 0, for this program has no such thing")


def _unknown(session: Session, key: str) -> GtpError:
    known = [*_known(session), *ABSENT]
    return GtpError(
        f"unknown parameter {quote(key)}",
        f"agent {session.thinker.agent.name}: {suggest(key, known)}",
    )


GROUP = Group(
    {
        "kata-get-param": get_param,
        "kata-set-param": set_param,
        "kata-get-params": get_params,
        "kata-set-params": set_params,
        "kata-list-params": list_params,
    }
)
GO_GROUP = Group({"kata-raw-nn": raw_nn}, serves=is_go)
