"""What networks are made of, against torch on one thread: shapes of BERT-base and GPT-2, called from Python on both sides.

`python -m bench nn` runs this module in a process of its own (`bench.versus.run_pinned`). Without torch the peer is NumPy. All
results are compared. Both sides write into arrays that are there where torch can; memory that it takes for others is kept by
the process, so that nobody waits for new pages.
"""

from __future__ import annotations

import argparse
import ctypes
import functools
import json
import math
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from bench import versus
from bench.measure import Timings, take_turns
from bench.versus import OURS

SCORES = ((12 * 128, 128), (12 * 512, 512), (12 * 1024, 1024), (128, 50257))
"""Rows and columns of softmax: the heads of attention, and a vocabulary."""
TOKENS = (128, 512, 1024)
VECTORS = (4096, 1000000)
POOLS = ((112, 3, 2, 1), (224, 2, 2, 0))
"""Rows and columns of an image of 64 channels, and of the squares that are pooled, how far they are apart, and a border."""
TORCH, NUMPY = "torch", "NumPy"
TOLERANCE = 3e-5
TOLERANCE_BF16 = 2e-2
SAMPLE = 2e-3
"""Seconds of a sample: shorter calls are repeated."""

Work = Callable[[], Any]


@dataclass(frozen=True, slots=True)
class Contest:
    """One problem: its goal, the peer, and what both sides do; each gives its result."""

    name: str
    goal: float
    ours: Work
    peer: Work
    peer_name: str = TORCH


def contests(torch: Any) -> Iterator[Contest]:
    """All of them; torch is None where it is not installed."""
    from usl_avx512 import kernels

    rng = np.random.default_rng(0)

    def floats(*shape: int) -> Any:
        return rng.standard_normal(shape, dtype=np.float32)

    for rows, columns in SCORES:
        yield from _scores(torch, kernels, floats(rows, columns), rng.integers(0, columns, rows))
        yield from _along_rows(torch, kernels, floats(rows, columns))
    for length in VECTORS:
        yield _compress(kernels, floats(length))
    for extent, size, step, border in POOLS:
        for last in (False, True):
            x = floats(*((1, extent, extent, 64) if last else (1, 64, extent, extent)))
            yield from _pools(torch, kernels, x, size, step, border, last)
    for rows in TOKENS:
        yield from _layers(torch, kernels, floats(rows, 768), floats(768), floats(768), floats(rows, 3072))
    for heads, tokens, queries, causal, goal in (
        (12, 128, 128, False, 1.25),
        (12, 512, 512, False, 1.25),
        (12, 1024, 1024, False, 1.25),
        (12, 1024, 1024, True, 1.6),
        (12, 1024, 1, False, 1.5),
        (1, 16384, 16384, False, 1.25),
        (1, 16384, 16384, True, 1.6),
    ):
        q, k, v = (floats(heads, rows, 64) for rows in (queries, tokens, tokens))
        yield _attention(torch, kernels, q, k, v, causal, goal)
    for tokens, causal in ((128, False), (512, False), (1024, True)) if torch is not None else ():
        q, k, v = (floats(12, tokens, 64) for _ in range(3))
        yield from _attention_bf16(torch, kernels, q, k, v, causal)


def _scores(torch: Any, kernels: Any, x: Any, target: Any) -> Iterator[Contest]:
    y, size = np.empty_like(x), f"{x.shape[0]} x {x.shape[1]}"
    names = ("softmax", "log_softmax", "cross entropy")
    ours: Sequence[Work] = (
        lambda: kernels.softmax(x, out=y),
        lambda: kernels.log_softmax(x, out=y),
        lambda: kernels.cross_entropy(x, target),
    )
    if torch is None:
        peers: Sequence[Work] = (
            lambda: _numpy_softmax(x, log=False),
            lambda: _numpy_softmax(x, log=True),
            lambda: -_numpy_softmax(x, log=True)[np.arange(len(x)), target],
        )
    else:
        a, b, c = (torch.from_numpy(each) for each in (x, target, np.empty_like(x)))
        peers = (
            lambda: torch.ops.aten._softmax.out(a, -1, False, out=c),
            lambda: torch.ops.aten._log_softmax.out(a, -1, False, out=c),
            lambda: torch.nn.functional.cross_entropy(a, b, reduction="none"),
        )
    for name, mine, peer in zip(names, ours, peers, strict=True):
        yield Contest(f"{name} {size}", 1.6, mine, peer, NUMPY if torch is None else TORCH)


def _along_rows(torch: Any, kernels: Any, x: Any) -> Iterator[Contest]:
    y, size = np.empty_like(x), f"{x.shape[0]} x {x.shape[1]}"
    yield Contest(f"argmax {size}", 1.0, lambda: kernels.argmax(x), lambda: x.argmax(-1), NUMPY)
    if torch is None:
        peers: Sequence[Work] = (lambda: x.cumsum(-1), lambda: x.sum(-1), lambda: x.max(-1))
    else:
        a, b = (torch.from_numpy(each) for each in (x, np.empty_like(x)))
        peers = (lambda: torch.cumsum(a, -1, out=b), lambda: a.sum(-1), lambda: a.amax(-1))
    parts = [
        ("cumsum", 2.0, lambda: kernels.cumsum(x, out=y)),
        ("sums", 1.0, lambda: kernels.row_sums(x)),
        ("maxima", 1.0, lambda: kernels.row_maxima(x)),
    ]
    for (name, goal, ours), peer in zip(parts, peers, strict=True):
        yield Contest(f"{name} {size}", goal, ours, peer, NUMPY if torch is None else TORCH)


def _compress(kernels: Any, x: Any) -> Contest:
    keep = x > 0
    return Contest(f"compress {len(x)}", 5.0, lambda: kernels.compress(keep, x), lambda: np.compress(keep, x), NUMPY)


def _pools(torch: Any, kernels: Any, x: Any, size: int, step: int, border: int, last: bool) -> Iterator[Contest]:
    given = {"padding": border, "channels_last": last}
    case = f"{size} step {step} of {x.shape[2]}, {'NHWC' if last else 'NCHW'}"
    ours: Sequence[Work] = (
        lambda: kernels.max_pool2d(x, size, step, **given),
        lambda: kernels.avg_pool2d(x, size, step, **given),
    )
    if torch is None:
        peers: Sequence[Work] = tuple(
            functools.partial(_numpy_pool, x, size, step, border, last, mean) for mean in (False, True)
        )
    else:
        f, a = torch.nn.functional, torch.from_numpy(x)
        a = a.permute(0, 3, 1, 2) if last else a

        def peer(pool: Any) -> Any:
            found = pool(a, size, step, border)
            return found.permute(0, 2, 3, 1) if last else found

        peers = (lambda: peer(f.max_pool2d), lambda: peer(f.avg_pool2d))
    for name, mine, theirs in zip(("max", "mean"), ours, peers, strict=True):
        yield Contest(f"{name} pool {case}", 1.2 if last else 5.0, mine, theirs, NUMPY if torch is None else TORCH)


def _numpy_pool(x: Any, size: int, step: int, border: int, last: bool, mean: bool) -> Any:
    rows, columns = (1, 2) if last else (2, 3)
    around = [(border, border) if axis in (rows, columns) else (0, 0) for axis in range(4)]
    wide = np.pad(x, around, constant_values=0 if mean else -np.inf)
    squares = np.lib.stride_tricks.sliding_window_view(wide, (size, size), (rows, columns))
    squares = squares[:, ::step, ::step] if last else squares[:, :, ::step, ::step]
    return squares.mean((-1, -2)) if mean else squares.max((-1, -2))


def _numpy_softmax(x: Any, log: bool) -> Any:
    shifted = x - x.max(-1, keepdims=True)
    e = np.exp(shifted)
    total = e.sum(-1, keepdims=True)
    return shifted - np.log(total) if log else e / total


def _layers(torch: Any, kernels: Any, x: Any, weight: Any, bias: Any, wide: Any) -> Iterator[Contest]:
    y, z, rows = np.empty_like(x), np.empty_like(wide), len(x)
    parts = [
        (f"layer norm {rows} x 768", 1.3, lambda: kernels.layer_norm(x, weight, bias, out=y)),
        (f"RMS norm {rows} x 768", 1.3, lambda: kernels.rms_norm(x, weight, eps=1e-6, out=y)),
        (f"SiLU {rows} x 3072", 1.5, lambda: kernels.silu(wide, out=z)),
        (f"GELU tanh {rows} x 3072", 4.0, lambda: kernels.gelu_tanh(wide, out=z)),
        (f"GELU erf {rows} x 3072", 1.0, lambda: kernels.gelu(wide, out=z)),
    ]
    if torch is None:
        root = np.float32(np.sqrt(2 / np.pi))
        peers: Sequence[Work] = (
            lambda: (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + 1e-5) * weight + bias,
            lambda: x / np.sqrt((x * x).mean(-1, keepdims=True) + 1e-6) * weight,
            lambda: wide / (1 + np.exp(-wide)),
            lambda: 0.5 * wide * (1 + np.tanh(root * (wide + 0.044715 * wide**3))),
            lambda: 0.5 * wide * (1 + np.vectorize(math.erf)(wide / math.sqrt(2))),
        )
    else:
        f = torch.nn.functional
        a, b, c, d, e = (torch.from_numpy(each) for each in (x, weight, bias, wide, np.empty_like(wide)))
        peers = (
            lambda: f.layer_norm(a, (768,), b, c),
            lambda: f.rms_norm(a, (768,), b, 1e-6),
            lambda: torch.ops.aten.silu.out(d, out=e),
            lambda: torch.ops.aten.gelu.out(d, approximate="tanh", out=e),
            lambda: torch.ops.aten.gelu.out(d, out=e),
        )
    for (name, goal, ours), peer in zip(parts, peers, strict=True):
        yield Contest(name, goal, ours, peer, NUMPY if torch is None else TORCH)


def _attention(torch: Any, kernels: Any, q: Any, k: Any, v: Any, causal: bool, goal: float) -> Contest:
    out = np.empty_like(q)
    heads, queries, tokens = q.shape[0], q.shape[1], k.shape[1]
    name = f"attention {heads} x {queries} x {tokens}{' causal' if causal else ''}"

    def ours() -> Any:
        return kernels.attention(q, k, v, causal=causal, out=out)

    if torch is None:
        mask = np.where(np.arange(tokens) > np.arange(queries)[:, None], np.float32(-np.inf), np.float32(0)) if causal else 0
        return Contest(name, goal, ours, lambda: _numpy_softmax(q @ k.transpose(0, 2, 1) / 8 + mask, log=False) @ v, NUMPY)
    a, b, c = (torch.from_numpy(each)[None] for each in (q, k, v))
    f = torch.nn.functional.scaled_dot_product_attention
    return Contest(name, goal, ours, lambda: f(a, b, c, is_causal=causal)[0])


def _attention_bf16(torch: Any, kernels: Any, q: Any, k: Any, v: Any, causal: bool) -> Iterator[Contest]:
    """Against both forms that torch has: by itself, and as its parts one after another."""
    tokens = q.shape[1]
    a, b, c = (torch.from_numpy(each).bfloat16() for each in (q, k, v))
    bits = [each.view(torch.uint16).numpy() for each in (a, b, c)]
    out = np.empty_like(bits[0])
    mask = torch.full((tokens, tokens), float("-inf")).triu(1).bfloat16() if causal else None

    def ours() -> Any:
        kernels.attention_bf16(*bits, causal=causal, out=out)
        return torch.from_numpy(out).view(torch.bfloat16)

    def parts() -> Any:
        scores = (a * 0.125) @ b.transpose(-1, -2)
        return torch.softmax(scores if mask is None else scores + mask, -1) @ c

    f = torch.nn.functional.scaled_dot_product_attention
    name = f"bf16 attention 12 x {tokens} x {tokens}{' causal' if causal else ''}"
    yield Contest(f"{name}, whole", 1.3, ours, lambda: f(a[None], b[None], c[None], is_causal=causal)[0])
    yield Contest(f"{name}, in parts", 1.3, ours, parts)


def measured(contest: Contest, rounds: int) -> Timings:
    """Both sides in turns, each sample the mean of as many calls as fill it."""

    def seconds(work: Work, calls: int) -> float:
        begin = time.thread_time()  # both sides have one thread; what other programs take of the processor does not count
        for _ in range(calls):
            work()
        return (time.thread_time() - begin) / calls

    def repeated(work: Work) -> Callable[[], float]:
        calls = max(1, round(SAMPLE / min(seconds(work, 1) for _ in range(2))))
        return lambda: seconds(work, calls)

    return take_turns({OURS: repeated(contest.ours), contest.peer_name: repeated(contest.peer)}, rounds)


def difference(contest: Contest) -> float:
    """The largest difference of the results, beside the largest result."""
    ours, peer = (
        np.asarray(each.float() if hasattr(each, "float") else each, float) for each in (contest.ours(), contest.peer())
    )
    return float(np.abs(ours - peer).max() / np.abs(peer).max())


def measure(rounds: int, only: str = "") -> dict[str, Any]:
    """The rows of the table, and what is wrong with results."""
    try:
        import torch  # type: ignore[import-not-found,unused-ignore]
    except ImportError:
        torch = None
    else:
        torch.set_num_threads(1)
        torch.set_grad_enabled(False)
    _keep_memory()
    rows, problems = [], []
    for contest in contests(torch):
        if only not in contest.name:
            continue
        error = difference(contest)
        if error > (TOLERANCE_BF16 if "bf16" in contest.name else TOLERANCE):
            problems.append(f"{contest.name}: the results differ by {error:.1e}")
        timings = measured(contest, rounds)
        ratio = timings.speedup(OURS, contest.peer_name)
        microseconds = {name: 1e6 * timings.median(name) for name in timings.seconds}
        rows.append(
            {
                "case": contest.name,
                "peer": contest.peer_name,
                "goal": contest.goal,
                "us": microseconds,
                "ratio": ratio.median,
                "lower95": ratio.lower95,
                "difference": error,
            }
        )
        print(line(rows[-1]), flush=True)
    return {"rows": rows, "problems": problems, "missing": [] if torch is not None else ["torch, which is not installed"]}


def _keep_memory() -> None:
    """Memory that is freed stays with the process: glibc otherwise gives large blocks back to the system each time."""
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is not None:
        for option, value in ((-4, 0), (-1, 2**31 - 1)):  # M_MMAP_MAX, M_TRIM_THRESHOLD
            mallopt(option, value)


def line(row: dict[str, Any]) -> str:
    ours, peer = (row["us"][name] for name in (OURS, row["peer"]))
    return (
        f"{row['case']:>30} {ours:10.1f} us {peer:10.1f} us {row['peer']:>6}  {row['ratio']:6.2f} ({row['lower95']:.2f})"
        f"  goal {row['goal']}"
    )


def markdown(rows: Sequence[dict[str, Any]]) -> str:
    """The table for a report."""
    lines = ["| case | USL, us | peer, us | peer | ratio | lower 95 % bound | goal | difference |", "|---" * 8 + "|"]
    for row in rows:
        ours, peer = (f"{row['us'][name]:.1f}" for name in (OURS, row["peer"]))
        lines.append(
            f"| {row['case']} | {ours} | {peer} | {row['peer']} | {row['ratio']:.2f} | {row['lower95']:.2f} | {row['goal']} |"
            f" {row['difference']:.0e} |"
        )
    return "\n".join(lines) + "\n"


def missed(rows: Sequence[dict[str, Any]]) -> list[str]:
    """The cases whose lower bound is below the goal, by more than the noise of a shared machine."""
    return [
        f"{row['case']}: {row['ratio']:.2f} (lower bound {row['lower95']:.2f}) of {row['peer']}, goal {row['goal']}"
        for row in rows
        if row["lower95"] < versus.TOLERANCE * row["goal"]
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--only", default="", help="cases whose name has this in it")
    arguments = parser.parse_args()
    versus.pin()
    print(json.dumps(measure(arguments.rounds, arguments.only)))


if __name__ == "__main__":
    main()
