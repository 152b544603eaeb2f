"""Nets at work: an ONNX file, run by OpenVINO on one core for each thread that asks.

A call with eight positions of a small net takes a tenth of a millisecond, so all around it counts.
OpenVINO takes longer than that to change from one size of a batch to another. So a net is compiled
for each power of two, for arrays that it reads and writes; other batches are padded. Finer sizes
gain nothing: the weights of one drive those of another out of the cache. A net of Go takes long to
compile, so there it is powers of four, and a batch that would be padded much is parted into such.
Importing this module imports neither numpy nor OpenVINO; making a Net does.
"""

import math
import platform
import threading
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Any, Literal, TypeAlias
from weakref import ref

import gtpcore
from games.base import Player
from nets.int8 import Peaks, quantized
from nets.onnx_file import (
    Outputs,
    fit_input,
    gist,
    import_openvino,
    joins_features,
    named,
    outputs_of,
    peaks_of,
    read_model,
    weights_of,
)
from nets.spec import OUTPUTS, OWNERSHIP, POLICY, SCORE, VALUE, NetError, NetSpec
from search.board_net import SYMMETRIES, BareOpinion, BoardNet, BoardOpinion
from search.tree_agent import available_cores

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from nets.symmetry import Symmetry

    Floats: TypeAlias = NDArray[np.float32]

Precision: TypeAlias = Literal["auto", "f32", "bf16", "i8"]
Answer: TypeAlias = "tuple[Floats | None, Floats | None]"

LARGE = 50_000
"""Weights from which fewer bits are worth the conversions to them and back."""

PROCESSOR = Path("/proc/cpuinfo")
"""Where Linux tells what the processor can do."""
INTEGER_MACHINES = ("x86_64", "amd64")
"""Where i8 was seen to be quicker than f32."""
AT_ONCE = 16
"""Positions of Go asked about beside a search: the net is compiled for so many there."""
SEARCHED = 16
"""The largest batch of a search, as `batch_size` has it by default."""

FIRST_COMMANDS = 0.3
"""Seconds in which a client says what it is going to play, and on which board."""

QUIET = 0.1
"""Seconds without a question after which no search is under way."""

TOLERANCE = 0.02
"""How far the sum of probabilities may be from 1; bf16 has two to three digits."""


class Net:
    """A net that any number of threads may call at once, each on the core it runs on.

    The first batch of a size, and the first by so many threads at once, takes longer: compiling
    takes 0.1 to 0.3 s for each. `compile_ahead` does that before.
    """

    def __init__(
        self,
        path: Path,
        spec: NetSpec,
        precision: Precision = "auto",
        shown: Path | None = None,
    ) -> None:
        """Load the `.onnx` file `path` as a net of the shapes in `spec`.

        `precision` is that of the arithmetic. For all but the smallest nets bf16 is twice to
        several times as fast as f32 where the processor has instructions for it, and so is i8, if
        the file tells the net's peaks (`nets/int8.py`); `auto` takes the fastest.
        Raises NetError, whose text names `shown`: the file that `path` is the twin of.
        """
        import_openvino()
        from openvino import Core

        self.path = shown or path
        self.spec = spec
        self._core = Core()
        self._model = read_model(path)
        fit_input(self.path, self._model, spec)
        self.outputs = outputs_of(self.path, self._model, spec)
        peaks = peaks_of(self.path, self._model)
        self.precision = _chosen(precision, self._core, self._model, peaks)
        if self.precision == "i8":
            self._model = quantized(self._model, peaks)
        self._config = _config(self.precision, self._model)
        self._workers: dict[int, _Workers] = {}
        self._try_out()
        self._last_asked = -math.inf

    @property
    def has_policy(self) -> bool:
        """True if it has probabilities of moves."""
        return POLICY in self.outputs

    @property
    def has_value(self) -> bool:
        """True if it has a value."""
        return VALUE in self.outputs

    def native(self, memory: int = 1 << 16, gathers: int = 0) -> gtpcore.Net:
        """This net as a native search takes it, which remembers so many positions, if not of Go.

        What several searches ask at a time is answered in common batches, on so many cores as
        `gathers` says; with 0 each search has its own batches.
        """
        return _NativeNet(self, memory, gathers)

    def __call__(self, planes: "Floats") -> Answer:
        """The policy [B, A] and the value [B] of planes [B, H, W, C]; None for what it has not.

        The policy has probabilities of all actions, legal or not; the value is from -1 to 1 for
        the player to move. Raises NetError if `planes` has another shape.
        """
        said = self.predict(planes, (POLICY, VALUE))
        value = said.get(VALUE)
        return said.get(POLICY), None if value is None else value.reshape(-1)

    @property
    def is_asked(self) -> bool:
        """True while a search is under way."""
        return time.monotonic() - self._last_asked < QUIET

    def compile_ahead(self, threads: int) -> Iterator[int]:
        """Get ready for a search by so many threads, none of which then waits for the compiler.

        Step by step, as it takes a second, each for batches of so many. No step should be taken
        while the net `is_asked`, as who asks needs the processor, too.
        """
        sizes = sorted({self._capacity(batch) for batch in range(1, SEARCHED + 1)})
        for capacity in sizes * min(threads, available_cores()):
            self._workers_for(capacity).prepare(partial(self._worker, capacity))
            yield capacity

    def predict(
        self, planes: "Floats", outputs: Collection[str] = OUTPUTS
    ) -> "Mapping[str, Floats]":
        """What the net says of planes [B, H, W, C], in the shapes that NetSpec has.

        Of `outputs` only those that it has. Raises NetError if `planes` has another shape.
        """
        if planes.shape[1:] != self.spec.planes:
            raise NetError(f"planes {list(planes.shape)}: expected {named(self.spec.planes)}")
        self._last_asked = time.monotonic()
        first = self._at_once(len(planes))
        said = self._said(planes[:first], outputs)
        if first == len(planes):
            return said
        import numpy as np

        rest = self.predict(planes[first:], outputs)
        return {name: np.concatenate([said[name], rest[name]]) for name in said}

    def _said(self, planes: "Floats", outputs: Collection[str]) -> "Mapping[str, Floats]":
        capacity = self._capacity(len(planes))
        workers = self._workers_for(capacity)
        worker = workers.take(lambda: self._worker(capacity))
        try:
            return worker(planes, outputs)
        finally:
            workers.give_back(worker)

    def _at_once(self, batch: int) -> int:
        """How many of a batch to ask about first: all, unless much would be padding.

        A net of Go takes as long for a row of padding as for a position. Such batches come from an
        analysis: the eight images of a position, and leaves of several searches together.
        """
        capacity = self._capacity(batch)
        if self.spec.game != "go" or capacity == 1 or 4 * batch > 3 * capacity:
            return batch
        return capacity // 4

    def _capacity(self, batch: int) -> int:
        """The size that such a batch is padded to."""
        bits = max(0, batch - 1).bit_length()
        return 1 << (bits + bits % 2 if self.spec.game == "go" else bits)

    def _workers_for(self, capacity: int) -> "_Workers":
        """The same for two threads that are the first to ask, at once."""
        known = self._workers.get(capacity)
        return known or self._workers.setdefault(capacity, _Workers(most=available_cores()))

    def _worker(self, capacity: int) -> "_Worker":
        model = self._model.clone()
        model.reshape([capacity, *self.spec.planes])
        return _Worker(self._core.compile_model(model, "CPU", self._config), self.outputs)

    def _try_out(self) -> None:
        """Raise NetError unless the outputs are probabilities and values, one of each position.

        By as many positions as a board has images: an analysis begins with them, and has no time
        to compile the net for its batches then.
        """
        import numpy as np

        try:
            said = self.predict(np.ones((len(SYMMETRIES), *self.spec.planes), np.float32))
        except (RuntimeError, ValueError) as error:
            raise NetError(f"{self.path}: it does not run: {gist(error)}") from None
        policy = said.get(POLICY)
        if policy is not None and not are_probabilities(policy):
            raise NetError(
                f"{self.path}: expected probabilities (a softmax) as {POLICY}, "
                f"found numbers from {policy.min():.3g} to {policy.max():.3g} "
                f"whose sum is {policy[0].sum():.3g}"
            )
        for name, numbers in said.items():
            odd = numbers[~np.isfinite(numbers)]
            if odd.size:
                raise NetError(f"{self.path}: expected numbers as {name}, found {odd[0]}")
        for name in said.keys() & {VALUE, OWNERSHIP}:
            furthest = max(said[name].flat, key=abs)
            if abs(furthest) > 1 + TOLERANCE:
                raise NetError(
                    f"{self.path}: expected {name} from -1 to 1 (a tanh), found {furthest:.3g}"
                )


def are_probabilities(policy: "Floats") -> bool:
    """True if each row of [B, A] is a distribution, as far as bf16 can tell."""
    return bool((policy >= 0).all() and (abs(policy.sum(axis=1) - 1) <= TOLERANCE).all())


class _NativeNet(BoardNet):
    """A net as agents take it."""

    def __init__(self, net: Net, memory: int, gathers: int) -> None:
        super().__init__(
            net,
            net.spec.planes,
            net.spec.num_actions,
            has_policy=net.has_policy,
            has_value=net.has_value,
            memory=0 if net.spec.game == "go" else memory,  # there the past counts too
            gathers=gathers,
        )
        self._net = net

    @property
    def is_asked(self) -> bool:
        """As the net that it shows to agents is."""
        return self._net.is_asked

    def get_ready(self, threads: int) -> None:
        """In a thread of its own, as a client has more to say before it asks for a move."""
        steps = self._net.compile_ahead(threads)
        threading.Thread(target=_while_used, args=(ref(self), steps), name="compiler").start()

    def mean(self, state: gtpcore.State) -> BareOpinion:
        """Shows the net all images at once."""
        return self._said(state, self._symmetries())

    def bare(self, state: gtpcore.GoState, symmetry: int) -> BareOpinion:
        """Of one image, with moves and points where they are on the board."""
        return self._said(state, [self._symmetries()[symmetry]])

    def _symmetries(self) -> "Sequence[Symmetry]":
        # Here, as numpy is not imported before there is a net.
        from nets.symmetry import symmetries_of

        spec = self._net.spec
        return symmetries_of(spec.game, spec.planes[0], spec.num_actions)

    def _said(self, state: gtpcore.State, symmetries: "Sequence[Symmetry]") -> BareOpinion:
        """The mean of what the net says of images of a position."""
        import numpy as np

        planes = state.planes()[None]
        images = [symmetry.planes(planes) for symmetry in symmetries]
        said = self._net.predict(np.concatenate(images))
        policy, owner = (_straight(said.get(name), symmetries) for name in (POLICY, OWNERSHIP))
        value, score = (said.get(name) for name in (VALUE, SCORE))
        return BareOpinion(
            policy=None if policy is None else policy.tolist(),
            value_to_move=None if value is None else float(value.mean()),
            board=BoardOpinion(
                score_to_move=None if score is None else _possible(float(score.mean()), state),
                ownership=None if owner is None else _for_black(owner, state),
            ),
        )

    def scores_to_move(self, states: Sequence[gtpcore.GoState]) -> Sequence[float]:
        """As the positions are."""
        import numpy as np

        found: list[float] = []
        for first in range(0, len(states), AT_ONCE):
            planes = np.stack([state.planes() for state in states[first : first + AT_ONCE]])
            scores = self._net.predict(planes, (SCORE,)).get(SCORE)
            found += [] if scores is None else scores[:, 0].tolist()
        return list(map(_possible, found, states))


def _while_used(net: "ref[_NativeNet]", steps: Iterator[int]) -> None:
    """Go through steps while the program runs and a net is used, which some commands replace.

    Between searches; a client that leaves no time between them waits for the compiler then.
    """
    program = threading.main_thread()
    program.join(FIRST_COMMANDS)
    while program.is_alive() and (used := net()):
        if used.is_asked:
            del used  # or it would be used for as long as this waits
            program.join(QUIET)
        elif not next(steps, 0):
            return


def _straight(images: "Floats | None", symmetries: "Sequence[Symmetry]") -> "Floats | None":
    """The mean of moves [B, A] or points [B, H, W] of images, each the right way round again."""
    import numpy as np

    if images is None:
        return None
    rows = images.reshape(len(images), -1)
    back = [symmetry.back(row) for row, symmetry in zip(rows, symmetries, strict=True)]
    mean: Floats = np.mean(back, axis=0)
    return mean


def _for_black(ownership: "Floats", state: gtpcore.State) -> list[float]:
    sign = Player(state.current_player).sign
    owners: list[float] = (sign * ownership).clip(-1, 1).tolist()
    return owners


def _possible(score_to_move: float, state: gtpcore.State) -> float:
    """A score that the rules allow: points of the board, and the whole komi.

    Of a komi a net is shown only what can matter (`core/games/go/planes.cpp`).
    """
    assert isinstance(state, gtpcore.GoState)
    area = state.size**2
    komi = Player(state.current_player).sign * state.black_lead([0.0] * area)
    shown = max(-area - 1.0, min(komi, area + 1.0))
    return komi + max(-area, min(score_to_move - shown, area))


class _Worker:
    """A net compiled for batches up to one size, for one thread at a time."""

    def __init__(self, compiled: Any, outputs: Outputs) -> None:
        import numpy as np
        from openvino import Tensor

        self._request = compiled.create_infer_request()
        self._planes: Floats = np.zeros(tuple(compiled.inputs[0].shape), np.float32)
        self._request.set_input_tensor(0, Tensor(self._planes, shared_memory=True))
        self._written: dict[str, Floats] = {}
        for name, number in outputs.items():
            written = np.zeros(tuple(compiled.outputs[number].shape), np.float32)
            if len(written) != len(self._planes):
                raise NetError(
                    f"expected a row of {name} for each of {len(self._planes)} positions, "
                    f"found {len(written)}"
                )
            self._request.set_output_tensor(number, Tensor(written, shared_memory=True))
            self._written[name] = written

    def __call__(self, planes: "Floats", outputs: Collection[str]) -> "Mapping[str, Floats]":
        batch = len(planes)
        self._planes[:batch] = planes
        self._request.infer(share_outputs=True)
        return {
            name: written[:batch].copy()
            for name, written in self._written.items()
            if name in outputs
        }


class _Workers:
    """Those of one capacity, as many as there are cores: more would only take turns on them.

    So an analysis that asks while a search is on every core waits for a batch, some milliseconds,
    and not for a net to be compiled, some hundred.
    """

    def __init__(self, most: int) -> None:
        """`most` is how many there may be."""
        self._unmade = [None] * most
        self._idle: SimpleQueue[_Worker | None] = SimpleQueue()

    def take(self, make: Callable[[], _Worker]) -> _Worker:
        """One that is idle, a new one by `make`, or the next that is given back."""
        return self._next() or self._made(make)

    def prepare(self, make: Callable[[], _Worker]) -> None:
        """Have one more wait idle, if there may be one."""
        try:
            self._unmade.pop()
        except IndexError:
            return
        self._idle.put(self._made(make))

    def _made(self, make: Callable[[], _Worker]) -> _Worker:
        try:
            return make()
        except BaseException:
            self._idle.put(None)  # so that who waits for one may try
            raise

    def _next(self) -> _Worker | None:
        """One that is idle, or will be; None if one may be made."""
        try:
            return self._idle.get_nowait()
        except Empty:
            pass
        try:
            return self._unmade.pop()
        except IndexError:
            return self._idle.get()

    def give_back(self, worker: _Worker) -> None:
        """It is idle again."""
        self._idle.put(worker)


def _chosen(precision: Precision, core: Any, model: Any, peaks: Peaks) -> Precision:
    """The arithmetic to use. Raises NetError if there is none such."""
    capabilities = core.get_property("CPU", "OPTIMIZATION_CAPABILITIES")
    lacking: dict[Precision, str] = {}
    if "BF16" not in capabilities:
        lacking["bf16"] = "this processor has no such arithmetic"
    if "INT8" not in capabilities or platform.machine().lower() not in INTEGER_MACHINES:
        lacking["i8"] = "this processor has no such arithmetic"
    elif not peaks:
        lacking["i8"] = "the file does not tell how large its numbers become (gtpbot.peaks)"
    if precision != "auto":
        if precision in lacking:
            raise NetError(f"precision {precision}: {lacking[precision]}; expected auto")
        return precision
    if weights_of(model) >= LARGE:
        for quick in quickest_first():
            if quick not in lacking:
                return quick
    return "f32"


def quickest_first() -> tuple[Precision, ...]:
    """The kinds of arithmetic that beat f32, where this processor has both.

    Vectors hold twice as many numbers of eight bits as of sixteen: on AMD's Zen 5 i8 makes 1.5 to
    1.7 times as many evaluations as bf16. Units for whole matrices (AMX) were seen with bf16 alone.
    """
    try:
        has_matrices = "amx_bf16" in PROCESSOR.read_text(encoding="utf-8", errors="replace")
    except OSError:
        has_matrices = False
    return ("bf16", "i8") if has_matrices else ("i8", "bf16")


def _config(precision: Precision, model: Any) -> Mapping[str, Any]:
    """One stream of one thread, which OpenVINO then runs on the thread that calls.

    From 2026.0 to at least 2026.4.1 the process ends by a segmentation fault where several narrow
    dense layers whose features are joined become one snippet of code, for batches of less than
    twelve. Without any, the smallest nets take 1.2 times as long for a single position.
    """
    quirks = {"SNIPPETS_MODE": "DISABLE"} if joins_features(model) else {}
    return quirks | {
        "NUM_STREAMS": 1,
        "INFERENCE_NUM_THREADS": 1,
        "ENABLE_CPU_PINNING": False,  # or all threads run on the same core
        "INFERENCE_PRECISION_HINT": "bf16" if precision == "bf16" else "f32",
    }
