"""What a check found, as data and as text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from usl_core.errors import Span

VALUE = "E810"
OUTSIDE = "E811"
STOPPED = "E812"
NO_CODE = "E813"
LEAK = "E814"
NAME = "E815"

PLURALS = {"instruction": "instructions", "memory": "memories", "construct": "constructs", "backend": "backends"}

Status = Literal["passed", "failed", "skipped"]


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is wrong: a sentence, the input that shows it, what came, and what it likely means."""

    code: str
    problem: str
    input: tuple[str, ...] = ()
    """One line for each argument."""
    expected: str = ""
    got: str = ""
    likely: str = ""

    def lines(self) -> Iterator[str]:
        """The finding as text: the problem first, then the input and what came of it, indented."""
        yield self.problem
        for line in self.input:
            yield f"  {line}"
        if self.expected or self.got:
            yield f"  expected {self.expected}"
            yield f"  got      {self.got}"
        if self.likely:
            yield f"  likely: {self.likely}"


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result for one instruction, one memory, one construct (or random programs) of a backend, or the whole ("plugin")."""

    kind: str
    name: str
    status: Status
    runs: int = 0
    """How often code ran."""
    findings: tuple[Finding, ...] = ()
    reason: str = ""
    """Why it was skipped."""
    span: Span | None = None
    ran: str = ""
    """How code ran: `native`, or `emulated by` the name of an emulation; empty if none did."""

    @property
    def label(self) -> str:
        """How reports call the subject: its kind and its name."""
        return f"{self.kind} {self.name}"

    def text(self) -> str:
        """The failure as users see it, below its place in the source."""
        place = f"{self.span}: " if self.span is not None and self.span.line > 0 else ""
        lines = [f"{place}{self.label}"]
        for finding in self.findings:
            lines += [f"  {line}" for line in finding.lines()]
        return "\n".join(lines)

    def as_dict(self) -> dict[str, Any]:
        """For JSON; file and line are None where the declaration's place is not known."""
        span = self.span if self.span is not None and self.span.line > 0 else None
        return {
            "kind": self.kind,
            "name": self.name,
            "status": self.status,
            "runs": self.runs,
            "ran": self.ran,
            "reason": self.reason,
            "file": span.file if span else None,
            "line": span.line if span else None,
            "findings": [_finding_dict(finding) for finding in self.findings],
        }


def _finding_dict(finding: Finding) -> Mapping[str, Any]:
    return {
        "code": finding.code,
        "problem": finding.problem,
        "input": list(finding.input),
        "expected": finding.expected,
        "got": finding.got,
        "likely": finding.likely,
    }


@dataclass(frozen=True, slots=True)
class Report:
    """All outcomes of one plugin."""

    plugin: str
    outcomes: Sequence[Outcome]

    @property
    def failed(self) -> tuple[Outcome, ...]:
        """The outcomes with findings; those that were skipped are not among them."""
        return tuple(outcome for outcome in self.outcomes if outcome.status == "failed")

    def text(self) -> str:
        """Failures in full, then what was skipped and why, then one line of counts."""
        lines = [outcome.text() for outcome in self.failed]
        lines += self._skipped()
        counts = {status: sum(o.status == status for o in self.outcomes) for status in ("passed", "failed", "skipped")}
        total = sum(outcome.runs for outcome in self.outcomes)
        summary = ", ".join(f"{count} {status}" for status, count in counts.items() if count or status == "passed")
        ways = Counter(outcome.ran for outcome in self.outcomes if outcome.ran)
        how = f": {', '.join(f'{count} {way}' for way, count in ways.items())}" if ways else ""
        return "\n".join([*lines, f"{self.plugin}: {summary} ({total} runs{how})"])

    def _skipped(self) -> Iterator[str]:
        """What was skipped, by reason and with all names."""
        reasons: dict[tuple[str, str], list[str]] = {}
        for outcome in self.outcomes:
            if outcome.status == "skipped":
                reasons.setdefault((outcome.kind, outcome.reason), []).append(outcome.name)
        for (kind, reason), names in reasons.items():
            counted = f"{len(names)} {kind}" if len(names) == 1 else f"{len(names)} {PLURALS.get(kind, kind)}"
            yield f"skipped: {counted}: {reason}"
            yield f"  {', '.join(names)}"

    def as_dict(self) -> dict[str, Any]:
        """For JSON: what `usl plugin check --json` prints."""
        return {"plugin": self.plugin, "outcomes": [outcome.as_dict() for outcome in self.outcomes]}
