"""The clauses of the spec as data: what checks, scripts and reports refer to by id.

The prose is `docs/spec`; a test holds the two against each other, so neither can drift.
An id is never used again for another rule; a rule whose meaning changes gets a new id.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

__all__ = ["CLAUSES", "PROFILES", "SPEC_VERSION", "Clause", "Profile", "Status"]

SPEC_VERSION = "0.1"
"""The version of the specification that this list belongs to."""

Profile = Literal[
    "core",
    "control",
    "bulk",
    "wake",
    "async",
    "concurrent",
    "durable",
    "wire",
    "cluster",
    "prose",
]
Status = Literal["stable", "planned"]

PROFILES: dict[Profile, str] = {
    "core": "the verbs of `Backend` and what they can reach",
    "control": "lanes, pauses, weights, surgery, insight, repair",
    "bulk": "the `_many` verbs and `bclaim`",
    "wake": "park, wake, next_due",
    "async": "the async face, and cancellation",
    "concurrent": "many clients at once",
    "durable": "clients that die",
    "wire": "the keys, byte for byte, and the road to the server",
    "cluster": "several nodes, slots on the move, failover",
    "prose": "promises and advice that no automatic check can show",
}


@dataclass(frozen=True, slots=True)
class Clause:
    """One numbered rule of the spec.

    `chapter` is its file in `docs/spec`; `profile` is what a backend must claim for the clause to
    be checked on it; `status` is `stable`, or `planned` for a rule whose code is still to come.
    """

    id: str
    title: str
    chapter: str
    profile: Profile
    status: Status = "stable"


_KEYS = "01-keys.md"
_BOOKS = "02-states-and-books.md"
_VERBS = "03-verbs.md"
_ERRORS = "04-arguments-and-errors.md"
_WAKE = "05-wake-and-park.md"
_LOOP = "06-consumer-loop.md"
_CONN = "07-connections.md"
_PROMISE = "08-promises.md"
_CHOICE = "09-one-queue-or-many.md"

_ALL = (
    Clause("WIRE-1", "The keys of a queue, their types and fields", _KEYS, "wire"),
    Clause("WIRE-2", "Jobs without a group are kept and not served", _KEYS, "wire"),
    Clause("KEYS-1", "All keys of a queue live on one slot", _KEYS, "wire"),
    Clause(
        "KEYS-2",
        "A script touches only keys that it was given or built from the base",
        _KEYS,
        "wire",
    ),
    Clause("KEYS-2b", "A script decides first and writes last", _KEYS, "wire"),
    Clause("KEYS-2c", "A full server refuses admission and nothing else", _KEYS, "wire"),
    Clause("KEYS-3", "Names of queues and groups", _KEYS, "core"),
    Clause("KEYS-4", "Job ids are branded, ordered and minted increasing", _KEYS, "core"),
    Clause("KEYS-4b", "The version fence is read and not written", _KEYS, "wire"),
    Clause("KEYS-5", "A payload is bytes and comes back unchanged", _KEYS, "core"),
    Clause("KEYS-6", "A queue that is done leaves nothing behind", _KEYS, "core"),
    Clause("STATE-1", "A job stands at exactly one place", _BOOKS, "core"),
    Clause("STATE-2", "Jobs are conserved", _BOOKS, "core"),
    Clause("GHOST-1", "An entry whose row does not say so is a ghost", _BOOKS, "core"),
    Clause("BOOK-1", "The book counts the jobs in flight", _BOOKS, "core"),
    Clause("BOOK-2", "A claim never passes a limit", _BOOKS, "control"),
    Clause("RING-1", "The ring names exactly the serviceable lanes", _BOOKS, "core"),
    Clause("RING-2", "A turn moves the ring one step", _BOOKS, "core"),
    Clause("RING-3", "A verb settles each group that it touched", _BOOKS, "core"),
    Clause(
        "RING-4", "Between two turns of a lane every other lane has at most one", _BOOKS, "core"
    ),
    Clause("RING-5", "The cost of a verb does not grow with the number of lanes", _BOOKS, "wire"),
    Clause(
        "RING-6", "Every nonempty lane is named by the ring, a pause or a book", _BOOKS, "control"
    ),
    Clause("CLOCK-1", "The store's clock decides what is due and expired", _BOOKS, "core"),
    Clause("TOKEN-1", "Each claim has a greater token, and settling names it", _BOOKS, "core"),
    Clause("TOKEN-2", "A token is spent by the first settle", _BOOKS, "core"),
    Clause("FIELD-1", "Who writes the fields of a row and the totals", _BOOKS, "core"),
    Clause("SETTING-1", "A setting that is no positive integer counts as absent", _BOOKS, "wire"),
    Clause(
        "VERB-atomic",
        "A verb is one atomic step, but for those that say otherwise",
        _VERBS,
        "concurrent",
    ),
    Clause("ANSWER-values", "Answers are exact values", _VERBS, "core"),
    Clause("ANSWER-empty", "Empty is a value that says why", _VERBS, "core"),
    Clause(
        "ANSWER-changed",
        "A setting verb answers whether the stored field changed",
        _VERBS,
        "control",
    ),
    Clause("VERB-enqueue", "Admit one job", _VERBS, "core"),
    Clause("VERB-turn", "The turn that all claims share", _VERBS, "core"),
    Clause("VERB-claim", "Take one job", _VERBS, "core"),
    Clause("VERB-claim_many", "Take jobs in turns of one", _VERBS, "bulk"),
    Clause("VERB-bclaim", "Take a batch of one lane", _VERBS, "bulk"),
    Clause("VERB-weights", "Shares of a turn, and the claim that honours them", _VERBS, "control"),
    Clause("VERB-complete", "Settle a job as done", _VERBS, "core"),
    Clause("VERB-retry", "Settle a job as failed", _VERBS, "core"),
    Clause("VERB-release", "Give a job back", _VERBS, "core"),
    Clause("VERB-extend", "Move the deadline of a lease", _VERBS, "core"),
    Clause("VERB-bulk", "A bulk verb equals its single verb item by item", _VERBS, "bulk"),
    Clause("VERB-promote", "Move due jobs to their lanes", _VERBS, "core"),
    Clause("VERB-reap", "Return expired jobs to their lanes", _VERBS, "core"),
    Clause("VERB-reap_group", "Return the expired jobs of one group", _VERBS, "control"),
    Clause("VERB-lanes", "Pause and limit one lane", _VERBS, "control"),
    Clause("VERB-queue-pause", "Pause a whole queue", _VERBS, "control"),
    Clause("VERB-reassign", "Move a pending job to another lane", _VERBS, "control"),
    Clause("VERB-drain", "Delete what is pending in a lane", _VERBS, "control"),
    Clause("VERB-remove", "Delete one job wherever it stands", _VERBS, "control"),
    Clause("VERB-reprocess", "Send a dead job back", _VERBS, "control"),
    Clause("VERB-park", "Block until a wake token or a time-out", _VERBS, "wake"),
    Clause("VERB-wake", "Leave a token for a worker that will not claim", _VERBS, "wake"),
    Clause("VERB-next_due", "How long until something is due", _VERBS, "wake"),
    Clause("VERB-job", "Read a row, and the depth of a lane", _VERBS, "core"),
    Clause("VERB-reads", "Reads of many lanes and jobs", _VERBS, "control"),
    Clause("PAGE-1", "Paged reads go on after the last item seen", _VERBS, "control"),
    Clause("VERB-stats", "Sizes and totals of a queue", _VERBS, "control"),
    Clause("VERB-explain", "Why a job or a lane is not being served", _VERBS, "control"),
    Clause("VERB-check", "What kind of store this is", _VERBS, "core"),
    Clause("VERB-snapshot", "A whole queue in one consistent read", _VERBS, "core"),
    Clause("VERB-fsck", "Find every breach, and mend it", _VERBS, "control"),
    Clause("ARG-refused", "A wrong argument is refused before the wire", _ERRORS, "core"),
    Clause("ARG-numbers", "Ranges of numbers", _ERRORS, "core"),
    Clause("ARG-ids", "Which ids a verb takes", _ERRORS, "core"),
    Clause("ARG-choices", "Arguments that exclude or need each other", _ERRORS, "core"),
    Clause(
        "ARG-items",
        "All items of a bulk verb are checked before the first is sent",
        _ERRORS,
        "bulk",
    ),
    Clause("ERR-tree", "One tree of errors, split by what the caller can do", _ERRORS, "core"),
    Clause(
        "ERR-wrong-type",
        "A key of the wrong type refuses the verb before its first write",
        _ERRORS,
        "wire",
    ),
    Clause("ERR-midway", "A failure midway says what is known of every item", _ERRORS, "bulk"),
    Clause("ERR-closed", "A closed backend answers that nothing was applied", _ERRORS, "core"),
    Clause("ERR-never", "What no sequence of verbs brings about", _ERRORS, "core"),
    Clause("OPEN-1", "URLs open backends without I/O", _ERRORS, "core"),
    Clause("WAKE-1", "A verb that must leave a token pushes one into an empty list", _WAKE, "wake"),
    Clause("WAKE-2", "No wake is lost, and claims hand it on", _WAKE, "wake"),
    Clause("WAKE-3", "A parked consumer has a connection of its own", _WAKE, "wake"),
    Clause("WAKE-4", "A new first of the schedule leaves a token", _WAKE, "wake"),
    Clause("LOOP-1", "The order of a consumer's work", _LOOP, "prose", "planned"),
    Clause("LOOP-2", "Sweeps keep their beat under load", _LOOP, "prose", "planned"),
    Clause("LOOP-3", "How a handler's end settles its job", _LOOP, "prose", "planned"),
    Clause("LOOP-4", "Heartbeats, and a lease that was lost", _LOOP, "prose", "planned"),
    Clause(
        "LOOP-5", "A worker that will not claim gives its token back", _LOOP, "prose", "planned"
    ),
    Clause("LOOP-6", "Stopping", _LOOP, "prose", "planned"),
    Clause("LOOP-7", "The jobs of a killed worker come back", _LOOP, "durable"),
    Clause("CONN-1", "Nothing below a verb repeats it", _CONN, "wire"),
    Clause("CONN-2", "A lost reply and a call that did not happen are told apart", _CONN, "wire"),
    Clause("CONN-3", "Cancellation and time-outs leave the backend usable", _CONN, "async"),
    Clause("CONN-4", "Restart and failover need no operator", _CONN, "wire"),
    Clause("CONN-5", "Requests and scripts are bounded", _CONN, "wire"),
    Clause("CONN-6", "Nothing that carries work expires", _CONN, "wire"),
    Clause("CONN-7", "A minimal user is enough", _CONN, "wire"),
    Clause(
        "CONN-8", "Many threads or tasks, and two versions, may share a queue", _CONN, "concurrent"
    ),
    Clause(
        "CONN-9", "On a cluster each queue is served by the primary of its slot", _CONN, "cluster"
    ),
    Clause("HOSTILE-1", "What is evicted costs no slot and stops no queue", _CONN, "wire"),
    Clause("HOSTILE-2", "A replica gets no work done", _CONN, "wire"),
    Clause(
        "HOSTILE-3", "A server that takes no more clients costs new connections only", _CONN, "wire"
    ),
    Clause("HOSTILE-4", "A slow server costs the answer and never a second run", _CONN, "wire"),
    Clause(
        "HOSTILE-5",
        "A server that demands a client certificate is shown the caller's",
        _CONN,
        "wire",
    ),
    Clause(
        "HOSTILE-6",
        "A restart takes back what the store had not kept, and nothing else",
        _CONN,
        "wire",
    ),
    Clause(
        "HOSTILE-7",
        "A step of the server's clock moves leases and due times and loses nothing",
        _CONN,
        "wire",
    ),
    Clause("PROMISE-1", "At least once", _PROMISE, "prose"),
    Clause("PROMISE-2", "One holder per lease, and a fence for the rest", _PROMISE, "prose"),
    Clause("PROMISE-3", "Turns are fair, time is not", _PROMISE, "prose"),
    Clause("PROMISE-4", "The unit of fairness is the group", _PROMISE, "prose"),
    Clause("PROMISE-5", "Order inside a lane is mint order of what is pending", _PROMISE, "prose"),
    Clause("PROMISE-6", "What a verb can lose", _PROMISE, "prose"),
    Clause("PROMISE-7", "What is not promised", _PROMISE, "prose"),
    Clause("PROMISE-8", "An id is known while its job exists", _PROMISE, "prose"),
    Clause("CHOICE-1", "What lanes give that separate queues do not", _CHOICE, "prose"),
    Clause("CHOICE-2", "What separate queues give that lanes do not", _CHOICE, "prose"),
)

CLAUSES: dict[str, Clause] = {clause.id: clause for clause in _ALL}
