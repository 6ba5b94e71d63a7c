"""Mutants of functions that every backend shares (`echomq_core`) or that the Valkey layer has."""

from __future__ import annotations

from .mutant import Edit, Mutant, Where

__all__ = ["MUTANTS"]


def _in(where: Where, name: str, clause: str, file: str, old: str, new: str) -> Mutant:
    return Mutant(f"{where}-{name}", clause, where, (Edit(file, old, new),))


_CORE = (
    _in(
        "core",
        "a-queue-may-be-emq",
        "KEYS-3",
        "checks.py",
        '    if value == "emq":\n',
        '    if value == "":\n',
    ),
    _in(
        "core",
        "control-characters-pass",
        "KEYS-3",
        "checks.py",
        '        if unicodedata.category(character) == "Cc":\n',
        '        if unicodedata.category(character) == "Cs":\n',
    ),
    _in(
        "core",
        "an-error-may-be-anything",
        "ARG-refused",
        "checks.py",
        "    if not isinstance(value, str):\n        raise InvalidArgument(\n            argument,\n"
        '            value,\n            f"error is',
        "    if value is None:\n        raise InvalidArgument(\n            argument,\n"
        '            value,\n            f"error is',
    ),
    _in(
        "core",
        "a-bool-is-a-number",
        "ARG-numbers",
        "checks.py",
        "    if type(value) is not int:\n",
        "    if not isinstance(value, int):\n",
    ),
    _in(
        "core",
        "numbers-are-clamped",
        "ARG-numbers",
        "checks.py",
        "    if not low <= value <= high:\n",
        "    if value < low:\n",
    ),
    _in(
        "core",
        "any-text-is-a-job-id",
        "ARG-ids",
        "checks.py",
        "    if not isinstance(value, str) or not is_job_id(value):\n",
        "    if not isinstance(value, str) or not value:\n",
    ),
    _in(
        "core",
        "a-payload-may-be-a-bytearray",
        "KEYS-5",
        "checks.py",
        "    if type(value) is not bytes:\n",
        "    if not isinstance(value, bytes | bytearray):\n",
    ),
    _in(
        "core",
        "a-delay-and-a-time",
        "ARG-choices",
        "ops/work.py",
        "        if item.delay_ms:\n",
        "        if item.delay_ms < 0:\n",
    ),
    _in(
        "core",
        "items-are-checked-as-they-come",
        "ARG-items",
        "ops/work.py",
        '            _check_admission(item, f"items[{index}].")\n',
        '            if not index:\n                _check_admission(item, f"items[{index}].")\n',
    ),
    _in(
        "core",
        "empty-is-true",
        "ANSWER-empty",
        "values.py",
        "        return False\n",
        "        return True\n",
    ),
    _in(
        "core",
        "an-error-is-cut-by-characters",
        "VERB-retry",
        "checks.py",
        '    return raw[:MAX_ERROR_BYTES].decode("utf-8", errors="ignore")\n',
        '    return raw.decode("utf-8")[:MAX_ERROR_BYTES]\n',
    ),
)

_VALKEY = (
    _in(
        "valkey",
        "due-times-by-the-clients-clock",
        "CLOCK-1",
        "claims.py",
        '    run_at = "" if item.run_at_ms is None else item.run_at_ms\n'
        "    return job_id, item.group, item.payload, item.delay_ms, run_at\n",
        "    import time\n\n"
        '    run_at = "" if item.run_at_ms is None else item.run_at_ms\n'
        "    if item.delay_ms:\n"
        "        run_at = time.time_ns() // 1_000_000 + item.delay_ms\n"
        "    return job_id, item.group, item.payload, 0, run_at\n",
    ),
    _in(
        "valkey",
        "any-fence-will-do",
        "KEYS-4b",
        "fence.py",
        "    elif found is not None and not _ACCEPTED.fullmatch(found):\n",
        "    elif found is not None and not found:\n",
    ),
    _in(
        "valkey",
        "a-tiny-park-is-none",
        "VERB-park",
        "operators.py",
        '        seconds = f"{op.timeout_ms // 1000}.{op.timeout_ms % 1000:03d}"\n',
        '        seconds = f"{op.timeout_ms // 1000}.001"\n',
    ),
    _in(
        "valkey",
        "a-batch-is-read-backwards",
        "VERB-bulk",
        "bulk.py",
        "        verdicts += [verdict_of(answer) for answer in raw]\n        if refusal:\n",
        "        verdicts += [verdict_of(answer) for answer in reversed(raw)]\n        if refusal:\n",
    ),
    _in(
        "valkey",
        "an-empty-payload-is-lost",
        "KEYS-5",
        "parsing.py",
        "    return Job(as_text(job_id), as_text(group), payload or b",
        "    return Job(as_text(job_id), as_text(group), payload.strip() or b",
    ),
)

MUTANTS = (*_CORE, *_VALKEY)
