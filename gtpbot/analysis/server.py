"""Many positions analyzed at once, for `gtpbot analysis`.

A query becomes a job for each of its positions. Workers, each a thread with an agent of its own,
take the jobs by priority. Their agents share their nets, which value leaves of all positions in
common batches. Start reading at `AnalysisServer.serve`, then `Worker.run`.
"""

import heapq
import json
import math
import threading
import time
import traceback
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

from games.base import Game
from games.position import Position
from gtpbot import __version__
from gtpbot.analysis.answer import answer, final_report, no_answer
from gtpbot.analysis.query import (
    Query,
    QueryError,
    bans,
    game_of,
    interpret_query,
    positions,
    unknown_fields,
)
from gtpbot.gtp.journal import Journal
from gtpbot.gtp.protocol import OUT_OF_MEMORY
from gtpbot.gtp.thinking import Thinker
from gtpbot.report.insight import ENOUGH, OWNERS_SECONDS, Insight, is_first_look
from gtpbot.text.stdout import Disconnected, UnwritableError
from gtpbot.text.words import quote, suggest
from search.agent import Agent, Ban, Limits, Report

USUAL_VISITS = 500
"""Where neither the query nor the agent's parameters say how many."""
MOST_VISITS = 2**50
"""KataGo's name for no limit; more is no number to a search."""
LOOK_EVERY = 0.02
"""Seconds in which a worker sees that its job was called off."""
LOOK_FOR_CLIENT = 0.1
"""Seconds in which it is seen that nobody is left to be answered."""

MOST_SIZES = 4
"""Sizes of the board whose nets and agents are kept; to load them takes longer than to think."""

Write = Callable[[Mapping[str, Any]], None]
Kept = TypeVar("Kept")


def keep(kept: dict[object, Kept], key: object, new: Kept) -> None:
    """Keep one thing for each key; the oldest goes where there are too many."""
    if len(kept) >= MOST_SIZES:
        del kept[next(iter(kept))]
    kept[key] = new


@dataclass(order=True)
class Job:
    """One position to analyze; the least comes first."""

    rank: tuple[int, int]
    """The negative priority, and the number in the order of arrival."""
    query: Query = field(compare=False)
    turn: int = field(compare=False)
    position: Position = field(compare=False)
    bans: tuple[Ban, ...] = field(compare=False)
    called_off: bool = field(default=False, compare=False)


class JobQueue:
    """Jobs that wait and jobs at work, for any number of threads."""

    def __init__(self) -> None:
        """Empty."""
        self._waiting: list[Job] = []
        self._at_work: list[Job] = []
        self._changed = threading.Condition()
        self._number = 0
        self._closed = False

    def add(self, jobs: list[Job]) -> None:
        """Put jobs in their places; of one priority, those added first come first."""
        with self._changed:
            for job in jobs:
                self._number += 1
                job.rank = (job.rank[0], self._number)
                heapq.heappush(self._waiting, job)
            self._changed.notify_all()

    def take(self) -> Job | None:
        """The job to do next, as soon as there is one; None once closed and none is left."""
        with self._changed:
            self._changed.wait_for(lambda: self._waiting or self._closed)
            if not self._waiting:
                return None
            job = heapq.heappop(self._waiting)
            self._at_work.append(job)
            return job

    def done(self, job: Job) -> None:
        """The job that was taken is done."""
        with self._changed:
            self._at_work.remove(job)

    def call_off(self, wanted: Callable[[Job], bool]) -> list[Job]:
        """Call off all jobs that are wanted so; those that had not begun, which never will."""
        with self._changed:
            for job in self._at_work:
                job.called_off = job.called_off or wanted(job)
            never = [job for job in self._waiting if wanted(job)]
            self._waiting = [job for job in self._waiting if not wanted(job)]
            heapq.heapify(self._waiting)
            return sorted(never)

    def close(self) -> None:
        """Nothing will be added any more."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()


class AnalysisServer:
    """Answers lines of JSON by objects of JSON, each as soon as it is known."""

    def __init__(
        self,
        game: Game,
        crew: Callable[[Game], Agent],
        write: Write,
        workers: int,
        journal: Journal | None = None,
        version: str = __version__,
    ) -> None:
        """`game` is what queries are about; `crew` makes an agent of a worker's own for a game.

        `write` takes each answer, of one thread at a time; it raises Disconnected when nobody
        listens, or UnwritableError. `version` is told a client that asks for it.
        """
        self._version = version
        self._game = game
        self._queue = JobQueue()
        self._journal = journal or Journal()
        self._told = threading.Lock()
        self._write = write
        self._gone: Disconnected | UnwritableError | None = None
        self._warned: set[str] = set()
        self._workers = [Worker(crew, self.tell) for _ in range(workers)]
        self._threads = [
            threading.Thread(target=self._run, args=(worker,), name="worker", daemon=True)
            for worker in self._workers
        ]
        for thread in self._threads:
            thread.start()

    def serve(self, line: bytes) -> None:
        """Take in one line; answers follow. Raises Disconnected and UnwritableError."""
        if not line.strip():
            return
        self._journal.received(line)
        identity: dict[str, Any] = {}
        try:
            said = _parsed(line)
            identity = {"id": said["id"]} if isinstance(said.get("id"), str) else {}
            answers = self._act if "action" in said else self._ask
            answers(said)
        except QueryError as error:
            where = {"field": error.field} if error.field else {}
            self.tell({"error": str(error), **where, **identity})
        except Exception as error:  # what was asked before is still to be answered
            self._fail(error, identity)
        self._check()

    def finish(self, has_client: Callable[[], bool] = lambda: True) -> None:
        """Answer all that was asked; then end the workers. Raises as `serve` does.

        Sooner where nobody is left to be answered, which a long search would hear at its end only.
        """
        self._queue.close()
        for thread in self._threads:
            while thread.is_alive() and has_client():
                thread.join(LOOK_FOR_CLIENT)
        if not has_client():
            self.leave()
        self._check()

    def leave(self) -> None:
        """End the workers at once: nobody listens."""
        self._queue.call_off(lambda job: True)
        self._queue.close()
        for thread in self._threads:
            thread.join()

    def tell(self, said: Mapping[str, Any]) -> None:
        """Write one answer, unless nobody listens."""
        with self._told:
            if self._gone:
                return
            try:
                self._write(said)
            except (Disconnected, UnwritableError) as error:
                self._gone = error
        if self._gone:
            self._queue.call_off(lambda job: True)

    def _check(self) -> None:
        if self._gone:
            raise self._gone

    def _fail(self, error: Exception, what: Mapping[str, Any]) -> None:
        """Answer for a bug that `what` met, or for memory that is not there."""
        self._journal.complain(traceback.format_exc())
        bug = f"internal error: {error}"
        self.tell({"error": OUT_OF_MEMORY if isinstance(error, MemoryError) else bug, **what})

    def _run(self, worker: "Worker") -> None:
        while (job := self._queue.take()) is not None:
            try:
                worker.run(job)
            except Exception as error:
                self._fail(error, {"id": job.query.id, "turnNumber": job.turn})
            finally:
                self._queue.done(job)

    def _ask(self, said: Mapping[str, Any]) -> None:
        query = interpret_query(said)
        found = positions(query, game_of(query, self._game))
        jobs = [
            Job((-query.priority_of(turn), 0), query, turn, found[turn], bans(query, found[turn]))
            for turn in query.turns
        ]
        for name in unknown_fields(said):
            if name not in self._warned:
                self._warned.add(name)
                self.tell({"warning": "nothing depends on it", "field": name, "id": query.id})
        self._queue.add(jobs)

    def _act(self, said: Mapping[str, Any]) -> None:
        action = said["action"]
        actions: Mapping[str, Callable[[Mapping[str, Any]], Mapping[str, Any]]] = {
            "terminate": self._terminate,
            "terminate_all": self._terminate,
            "clear_cache": lambda said: {},
            "query_version": lambda said: {"version": self._version, "git_hash": ""},
            "query_models": lambda said: {"models": []},
        }
        if not isinstance(action, str) or action not in actions:
            raise QueryError(
                f"action {quote(str(action))}: {suggest(str(action), actions)}", "action"
            )
        if not isinstance(said.get("id"), str):
            raise QueryError("id: expected text, by which the answer is known", "id")
        self.tell({**said, **actions[action](said)})

    def _terminate(self, said: Mapping[str, Any]) -> Mapping[str, Any]:
        """Call off a query, or all; `turnNumbers` are some of its positions."""
        everything = said["action"] == "terminate_all"
        turns = said.get("turnNumbers")
        if not everything and not isinstance(said.get("terminateId"), str):
            raise QueryError("terminateId: expected the id of a query", "terminateId")
        if turns is not None and not isinstance(turns, list):
            raise QueryError(f"turnNumbers {quote(str(turns))}: expected a list", "turnNumbers")

        def wanted(job: Job) -> bool:
            return (everything or job.query.id == said["terminateId"]) and (
                turns is None or job.turn in turns
            )

        for job in self._queue.call_off(wanted):
            self.tell({"isDuringSearch": False, **no_answer(job.query, job.turn)})
        return {}


class Worker:
    """Does one job after the other, with an agent for each of a few sizes of the board."""

    def __init__(self, crew: Callable[[Game], Agent], tell: Write) -> None:
        """`crew` makes an agent for a game."""
        self._crew = crew
        self._tell = tell
        self._thinkers: dict[object, Thinker] = {}

    def run(self, job: Job) -> None:
        """Analyze one position, and tell what was found, meanwhile too if that is wanted."""
        thinker = self._thinker(job.position.game)
        try:
            known = self._known(job, thinker)
        finally:
            thinker.agent.clear()  # its tree, while agents for other sizes are at work
        self._tell({"isDuringSearch": False, **known})

    def _known(self, job: Job, thinker: Thinker) -> Mapping[str, Any]:
        insight = Insight(thinker.agent, job.position)
        is_over = job.position.state.is_terminal
        report = final_report(job.position) if is_over else self._think(job, thinker, insight)
        if report is None:
            return no_answer(job.query, job.turn)
        insight.refine(ENOUGH)
        return answer(job.query, job.turn, insight, report, 0.0 if job.called_off else math.inf)

    def _think(self, job: Job, thinker: Thinker, insight: Insight) -> Report | None:
        thinker.analyze(job.position, self._limits(job, thinker.agent))
        every = job.query.report_during_search_every or math.inf
        due = time.monotonic() + (job.query.first_report_during_search_after or every)
        try:
            while not job.called_off and not thinker.wait(LOOK_EVERY):
                if time.monotonic() >= due:
                    self._tell_meanwhile(job, insight)
                    late = time.monotonic() - due
                    due += late - late % every + every
        finally:
            thinker.rest()
        thinker.check()
        return insight.last_report()

    def _tell_meanwhile(self, job: Job, insight: Insight) -> None:
        insight.refine()
        report = insight.report()
        if report is None or is_first_look(report):
            return
        known = answer(job.query, job.turn, insight, report, OWNERS_SECONDS)
        if not job.called_off:
            self._tell({"isDuringSearch": True, **known})

    def _limits(self, job: Job, agent: Agent) -> Limits:
        """The query's own limits; what it does not limit, the agent's parameters do."""
        settings, own = job.query.override_settings, agent.own_limits()
        said = (job.query.max_visits or settings.max_visits, settings.max_playouts)
        visits = min(filter(None, said), default=own.playouts)
        seconds = settings.max_time or own.seconds
        return Limits(min(visits or USUAL_VISITS, MOST_VISITS), seconds, job.bans)

    def _thinker(self, game: Game) -> Thinker:
        if game.spec not in self._thinkers:
            keep(self._thinkers, game.spec, Thinker(self._crew(game)))
        return self._thinkers[game.spec]


def _parsed(line: bytes) -> Mapping[str, Any]:
    try:
        said = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise QueryError(f"{quote(line.decode(errors='replace'))}: no JSON: {error}") from None
    if not isinstance(said, dict):
        raise QueryError(f"{quote(str(said))}: expected an object of JSON")
    return said
