"""Single moves of the random machine: one verb each, drawn from what the queue holds now."""

from __future__ import annotations

from typing import Any

from echomq_core import JobState, NewJob, ops

from .game import IDS, Game
from .names import GROUPS, PAYLOADS, UNKNOWN_ID

__all__ = ["MOVES"]


def admit(game: Game, q: str) -> None:
    """One admission; mostly an id that is free, sometimes one that is taken (duplicate)."""
    item = _new_job(game, q)
    game.do(ops.Enqueue(q, item.group, item.payload, item.job_id, item.delay_ms, item.run_at_ms))


def _new_job(game: Game, q: str) -> NewJob:
    taken = game.state(q).jobs
    free = [job_id for job_id in IDS if job_id not in taken]
    job_id = game.draw.one(free if free and not game.draw.chance(15) else IDS)
    group, payload = game.draw.one(GROUPS), game.draw.one(PAYLOADS)
    when = game.draw.one(("now",) * 5 + ("delay", "at", "past"))
    lockstep = game.lockstep
    match when:
        case "delay":
            return NewJob(group, payload, job_id, delay_ms=game.span_ms(game.draw.one((0, 1, 3))))
        case "at":
            run_at = lockstep.aged_ms + game.span_ms(game.draw.one((0, 2)))
            return NewJob(group, payload, job_id, run_at_ms=run_at)
        case "past":
            return NewJob(group, payload, job_id, run_at_ms=max(0, lockstep.aged_ms - 50_000_000))
        case _:
            return NewJob(group, payload, job_id)


def admit_many(game: Game, q: str) -> None:
    items = [_new_job(game, q) for _ in range(game.draw.one((1, 2, 3, 4)))]
    if game.draw.chance(20):
        items.append(items[0])
    game.do(ops.EnqueueMany(q, tuple(items)))


def claim(game: Game, q: str) -> None:
    game.do(ops.Claim(q, game.span_ms(game.draw.one((0, 1)))))


def claim_several(game: Game, q: str) -> None:
    lease_ms = game.span_ms(game.draw.one((0, 1)))
    n = game.draw.one((1, 2, 3, 5))
    made: tuple[ops.QueueOp[Any], ...] = (
        ops.ClaimMany(q, lease_ms, n),
        ops.BClaim(q, lease_ms, n),
        ops.WClaim(q, lease_ms),
    )
    game.do(game.draw.one(made))


def settle(game: Game, q: str) -> None:
    """A settle by the holder."""
    job_id = game.an_id(q, "active")
    game.do(_settle(game, q, job_id, game.token_of(q, job_id)))


def settle_wrongly(game: Game, q: str) -> None:
    """A settle with a token of the past or the future, or for an id that is not active."""
    job_id = game.draw.one((*IDS, UNKNOWN_ID))
    token = game.token_of(q, job_id) + game.draw.one((-1, 0, 0, 1))
    game.do(_settle(game, q, job_id, max(1, token)))


def settle_late(game: Game, q: str) -> None:
    """The holder of a lease that ran out comes back."""
    jobs = game.state(q).jobs
    lapsed = sorted(job_id for job_id, row in jobs.items() if row.lapsed)
    job_id = game.draw.one(lapsed) if lapsed else game.an_id(q, "pending")
    token = game.token_of(q, job_id)
    if game.draw.chance(70):
        game.do(ops.Complete(q, job_id, token))
    else:
        game.do(_settle(game, q, job_id, token))


def _settle(game: Game, q: str, job_id: str, token: int) -> ops.QueueOp[Any]:
    match game.draw.one(("complete", "complete", "retry", "retry", "release", "extend")):
        case "complete":
            return ops.Complete(q, job_id, token)
        case "retry":
            delay_ms = game.span_ms(game.draw.one((0, 1)))
            most = game.draw.one((1, 2, 3))
            error = game.draw.one(("", "boom", "ü: " + "x" * 4_094 + "é"))
            return ops.Retry(q, job_id, token, delay_ms, most, error)
        case "release":
            return ops.Release(q, job_id, token)
        case _:
            return ops.Extend(q, job_id, token, game.span_ms(game.draw.one((0, 1))))


def settle_many(game: Game, q: str) -> None:
    """Several settles; by id, so that equal deadlines order alike on both sides."""
    active = sorted(game.state(q).active)
    ids = active[: game.draw.one((1, 2, 3))]
    ids.append(game.draw.one((*IDS, UNKNOWN_ID)))
    pairs = [(job_id, game.token_of(q, job_id)) for job_id in sorted(ids)]
    if game.draw.chance(30):
        pairs.append(pairs[-1])
    if game.draw.chance(30):
        pairs[0] = (pairs[0][0], pairs[0][1] + 1)
    if game.draw.chance(60):
        game.do(ops.CompleteMany(q, tuple(pairs)))
    else:
        game.do(ops.ExtendMany(q, tuple(pairs), game.span_ms(game.draw.one((0, 1)))))


def sweep(game: Game, q: str) -> None:
    limit = game.draw.one((1, 2, 10, 1_000))
    most = game.draw.one((None, None, 1, 2))
    made: tuple[ops.QueueOp[Any], ...] = (
        ops.Promote(q, limit),
        ops.Reap(q, limit, most),
        ops.ReapGroup(q, game.draw.one(GROUPS), limit, most),
    )
    game.do(game.draw.one(made))


def tick(game: Game, q: str) -> None:
    game.pass_time(game.draw.one((1, 1, 2, 5)))
    if game.draw.chance(50):
        sweep(game, q)


def control(game: Game, q: str) -> None:
    """Pause, limit or weigh a lane, or undo it."""
    group = game.draw.one(GROUPS)
    made: tuple[ops.QueueOp[Any], ...] = (
        ops.Pause(q, group),
        ops.Resume(q, group),
        ops.Resume(q, group),
        ops.Limit(q, group, game.draw.one((1, 1, 2, 3))),
        ops.Limit(q, group, game.draw.one((1, 2))),
        ops.Unlimit(q, group),
        ops.Weight(q, group, game.draw.one((1, 2, 3))),
        ops.Unweight(q, group),
    )
    game.do(game.draw.one(made))


def pause_queue(game: Game, q: str) -> None:
    if game.state(q).paused or game.draw.chance(30):
        game.do(ops.ResumeQueue(q))
    else:
        game.do(ops.PauseQueue(q))


def operate(game: Game, q: str) -> None:
    """What operators do to jobs."""
    match game.draw.one(("reassign", "reassign", "drain", "remove", "remove", "reprocess")):
        case "reassign":
            job_id = game.an_id(q, "pending") if game.draw.chance(75) else game.draw.one(IDS)
            game.do(ops.Reassign(q, job_id, game.draw.one(GROUPS)))
        case "drain":
            game.do(ops.Drain(q, game.draw.one(GROUPS)))
        case "remove":
            job_id = game.draw.one((*IDS, UNKNOWN_ID))
            game.do(ops.Remove(q, job_id, force=game.draw.chance(50)))
        case _:
            job_id = game.an_id(q, "dead") if game.draw.chance(80) else game.draw.one(IDS)
            game.do(ops.Reprocess(q, job_id))


def lose(game: Game, q: str) -> None:
    """A row vanishes; often its id comes back at once, elsewhere."""
    jobs = sorted(game.state(q).jobs)
    if not jobs:
        return
    job_id = game.draw.one(jobs)
    game.lockstep.lose_row(q, job_id)
    if game.draw.chance(40):
        delay_ms = game.span_ms() if game.draw.chance(20) else 0
        group, payload = game.draw.one(GROUPS), game.draw.one(PAYLOADS)
        game.do(ops.Enqueue(q, group, payload, job_id, delay_ms))


def wake(game: Game, q: str) -> None:
    """Take a token, leave one, ask how long to wait. A park never has to wait here."""
    timeout_ms = 60_000 if game.state(q).wakes and game.draw.chance(50) else 0
    made: tuple[ops.QueueOp[Any], ...] = (
        ops.Park(q, timeout_ms),
        ops.Park(q, timeout_ms),
        ops.Wake(q),
        ops.NextDue(q),
    )
    game.do(game.draw.one(made))


def read(game: Game, q: str) -> None:
    """One read of everything that can be read."""
    limit = game.draw.one((1, 2, 100))
    made: tuple[ops.QueueOp[Any], ...] = (
        ops.ReadJob(q, game.draw.one((*IDS, UNKNOWN_ID))),
        ops.Depth(q, game.draw.one(GROUPS)),
        ops.Depths(q, GROUPS),
        ops.ReadStats(q),
        ops.Lanes(q, limit=limit),
        ops.Ring(q, limit=limit),
        ops.DeadJobs(q, limit=limit),
        ops.Browse(q, game.draw.one(tuple(JobState)), limit=limit),
        ops.Configuration(q, limit=limit),
        ops.Explain(q, job_id=game.draw.one((*IDS, UNKNOWN_ID))),
        ops.Explain(q, job_id=game.an_id(q, "pending", "scheduled", "dead")),
        ops.Explain(q, group=game.draw.one(GROUPS)),
        ops.Snapshot(q),
        ops.Fsck(q),
    )
    game.do(game.draw.one(made))


def repair(game: Game, q: str) -> None:
    game.do(ops.Fsck(q, repair=True))


MOVES = (
    *(admit,) * 6,
    *(admit_many,) * 2,
    *(claim,) * 6,
    *(claim_several,) * 4,
    *(settle,) * 6,
    settle_wrongly,
    *(settle_late,) * 2,
    *(settle_many,) * 2,
    *(sweep,) * 3,
    *(tick,) * 3,
    *(control,) * 4,
    pause_queue,
    *(operate,) * 4,
    lose,
    *(wake,) * 2,
    *(read,) * 5,
    repair,
)
"""Every move, as often as it is worth drawing."""
