"""Which of many positions are analyzed next, which are called off, and what else may be asked."""

import random
from collections.abc import Mapping

from games.connect4 import ConnectFour
from games.position import Position
from gtpbot import __version__
from gtpbot.analysis.query import interpret_query
from gtpbot.analysis.server import Job, JobQueue
from tests.support.analysis_client import FOREVER, GO, Client
from tests.support.ended import wait_for


def test_priorities_come_first_and_then_whoever_came_first() -> None:
    client = Client()
    client.ask(**GO, maxVisits=FOREVER, id="running")
    wait_for(lambda: client.agents and client.agents[0].begun.is_set())
    client.ask(**GO, id="low", priority=-1)
    client.ask(**GO, id="usual")
    client.ask(**GO, id="also usual")
    client.ask(**GO, id="two", moves=[["B", "A1"]], analyzeTurns=[0, 1], priorities=[1, 9])
    client.ask(id="t", action="terminate", terminateId="running")
    client.server.finish()
    told = [(each["id"], each.get("turnNumber")) for each in client.told]
    assert told == [
        ("t", None),
        ("running", 0),
        ("two", 1),
        ("two", 0),
        ("usual", 0),
        ("also usual", 0),
        ("low", 0),
    ]


def test_a_job_called_off_says_what_it_has_or_that_it_has_nothing() -> None:
    client = Client()
    client.ask(**GO, maxVisits=FOREVER, id="running")
    wait_for(lambda: client.agents and client.agents[0].begun.is_set())
    client.ask(**GO, moves=[["B", "A1"]], analyzeTurns=[0, 1], id="waiting")
    client.ask(id="none", action="terminate", terminateId="wait")
    client.ask(id="none", action="terminate_all", turnNumbers=[])
    assert [each["id"] for each in client.told] == ["none", "none"]
    client.told.clear()
    client.ask(id="t", action="terminate", terminateId="waiting", turnNumbers=[1])
    assert client.told == [
        {"isDuringSearch": False, "id": "waiting", "turnNumber": 1, "noResults": True},
        {"id": "t", "action": "terminate", "terminateId": "waiting", "turnNumbers": [1]},
    ]
    client.ask(id="all", action="terminate_all")
    client.server.finish()
    assert [each["id"] for each in client.told[2:]] == ["waiting", "all", "running"]
    assert client.told[-1]["rootInfo"]["visits"] == 100


def test_owners_after_moves_are_not_waited_for_once_it_is_called_off() -> None:
    """What an analysis knew when it was called off is told; what it did not is not looked for."""
    client = Client()
    client.ask(maxVisits=FOREVER, includeMovesOwnership=True, **GO)
    wait_for(lambda: client.agents and client.agents[0].begun.is_set())
    client.server.serve(b'{"id":"t","action":"terminate_all"}')
    client.server.finish()
    told = next(answer for answer in client.told if answer["id"] == "q")
    assert told["moveInfos"]
    assert not any("ownership" in move for move in told["moveInfos"])


def jobs(*priorities: int) -> list[Job]:
    """Jobs of these priorities, by which their queries are named."""
    position = Position(ConnectFour())
    return [
        Job((-each, 0), interpret_query({"id": f"{each}"}), 0, position, ()) for each in priorities
    ]


def test_those_called_off_leave_the_others_in_their_order() -> None:
    queue, priorities = JobQueue(), random.Random(5).sample(range(40), 40)
    queue.add(jobs(*priorities))
    off = queue.call_off(lambda job: int(job.query.id) % 3 > 0)
    assert [int(job.query.id) for job in off] == [n for n in range(39, -1, -1) if n % 3]
    queue.close()
    left = []
    while (job := queue.take()) is not None:
        left.append(int(job.query.id))
    assert left == list(range(39, -1, -3))


def test_a_job_that_was_called_off_stays_so_and_one_that_is_done_is_forgotten() -> None:
    queue = JobQueue()
    queue.add(jobs(3, 2, 1))
    first, second, third = (queue.take() for _ in range(3))
    assert first and second and third
    queue.done(third)
    queue.call_off(lambda job: job is first)
    queue.call_off(lambda job: job is not first)
    assert (first.called_off, second.called_off, third.called_off) == (True, True, False)


def test_actions_are_answered_by_what_was_asked_and_more() -> None:
    client = Client()
    more: Mapping[str, Mapping[str, object]] = {
        "clear_cache": {},
        "query_models": {"models": []},
        "query_version": {"version": __version__, "git_hash": ""},
    }
    for action in more:
        client.ask(action=action, mine=7)
    client.server.finish()
    assert client.told == [
        {"id": "q", "action": action, "mine": 7, **known} for action, known in more.items()
    ]
