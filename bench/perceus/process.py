"""Programs run as processes: CPU seconds and peak memory of each run, and what it printed."""

from __future__ import annotations

import os
import resource
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.toolchain import compiler, run_tool

LAUNCHER = """\
/* Runs a command and says what it took: "seconds kilobytes status". A process inherits the peak memory of the one that it was
 * forked from, so that one must be small. */
#define _DEFAULT_SOURCE 1
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static double seconds(struct timeval time)
{
    return (double)time.tv_sec + 1e-6 * (double)time.tv_usec;
}

int main(int argc, char **argv)
{
    struct rusage usage;
    int status = 0;
    const pid_t child = argc > 1 ? fork() : -1;
    if (child == 0) {
        execvp(argv[1], argv + 1);
        _exit(127);
    }
    if (child < 0 || wait4(child, &status, 0, &usage) != child)
        return 1;
    printf("%.6f %ld %d\\n", seconds(usage.ru_utime) + seconds(usage.ru_stime), (long)usage.ru_maxrss, status);
    return 0;
}
"""

STACK_BYTES = 4 << 30
"""Plain recursion needs a deep stack in some systems; only what is touched is taken."""


@dataclass(frozen=True, slots=True)
class Run:
    """CPU seconds (user and system, all threads), peak resident megabytes, and the output."""

    seconds: float
    megabytes: float
    output: str


def available_gigabytes() -> float:
    """Memory that a process could take without swapping."""
    return os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") / 1e9


def build_launcher(folder: Path) -> Path:
    source, program = folder / "launcher.c", folder / "launcher"
    source.write_text(LAUNCHER, encoding="utf-8")
    run_tool([*compiler(), "-O1", str(source), "-o", str(program)])
    return program


def _deep_stack() -> None:
    _, hard = resource.getrlimit(resource.RLIMIT_STACK)
    soft = STACK_BYTES if hard == resource.RLIM_INFINITY else min(STACK_BYTES, hard)
    resource.setrlimit(resource.RLIMIT_STACK, (soft, hard))


def run(launcher: Path, command: Sequence[str]) -> Run | None:
    """One run of a command; None if it fails."""
    done = subprocess.run([str(launcher), *command], capture_output=True, text=True, check=False, preexec_fn=_deep_stack)
    *output, last = done.stdout.splitlines() or [""]
    numbers = last.split()
    if done.returncode != 0 or len(numbers) != 3 or numbers[2] != "0":
        return None
    return Run(float(numbers[0]), int(numbers[1]) / 1024, "\n".join(output))
