"""The GPU engine on the benchmark models, beside SPIN's best verifier and our native engine.

    python -m benchmarks.gpu prepare FOLDER [--only NAME …]     on any machine: the code of every model
    python -m benchmarks.gpu run FOLDER [--runs N]              where the GPU is: needs Python and the driver alone

`run` searches every model some times and reports the least time of the search alone, that of the confirmation (all rows
once more), what a search took with taking the card's memory and giving it back, loading the code, states and
transitions, and how the card was used. It ends with what reads at random places of the card's memory reach, in the same
process.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from everafter.engine.gpu.cycle_host import DeviceCycleSearch
from everafter.engine.gpu.driver import Gpu, Kernels
from everafter.engine.gpu.level_host import LevelOutcome, LevelSearch

if TYPE_CHECKING:
    from everafter.questions.question import Question
    from everafter.user_model import Model

TARGET = "sm_90"
LARGER = {
    "pipeline-250": ("pipeline.pml", {"STAGES": 3, "MESSAGES": 250}, 29_698_505),
    "pipeline-5-50": ("pipeline.pml", {"STAGES": 5, "MESSAGES": 50}, 1_127_183_705),
    "handshake_ring-6": ("handshake_ring.pml", {"STATIONS": 6, "TOKENS": 2}, 98_826_750),
    "handshake_ring-7": ("handshake_ring.pml", {"STATIONS": 7, "TOKENS": 2}, 1_521_931_950),
    "solitaire-7": ("solitaire.pml", {"ROWS": 7}, 0),
}
"""Models that the comparison has no time for, and how many states they have, if that is known."""
READS = 256
"""How often each thread reads at random places."""

_RANDOM_READS = """
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()

define ptx_kernel void @read_kernel(i64 %job) {
entry:
  %words = inttoptr i64 %job to ptr
  %base = load i64, ptr %words
  %mask_place = getelementptr i64, ptr %words, i64 1
  %mask = load i64, ptr %mask_place
  %thread = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %size = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %block = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %before = mul i32 %block, %size
  %worker32 = add i32 %before, %thread
  %worker = zext i32 %worker32 to i64
  %first = mul i64 %worker, 6364136223846793005
  br label %loop
loop:
  %turn = phi i64 [ 0, %entry ], [ %next_turn, %loop ]
  %chance = phi i64 [ %first, %entry ], [ %next, %loop ]
  %sum = phi i64 [ 0, %entry ], [ %more, %loop ]
  %product = mul i64 %chance, 6364136223846793005
  %next = add i64 %product, 1442695040888963407
  %high = lshr i64 %next, 20
  %offset = and i64 %high, %mask
  %address = add i64 %base, %offset
  %place = inttoptr i64 %address to ptr
  %value = load i64, ptr %place, align 8
  %more = xor i64 %sum, %value
  %next_turn = add i64 %turn, 1
  %go = icmp ult i64 %next_turn, READS
  br i1 %go, label %loop, label %done
done:
  %sum_place = getelementptr i64, ptr %words, i64 2
  %unlikely = icmp eq i64 %more, 1234567
  br i1 %unlikely, label %note, label %leave
note:
  store i64 %more, ptr %sum_place
  br label %leave
leave:
  ret void
}
"""


def prepare(folder: Path, only: Sequence[str]) -> None:
    """Write the code of every model, and what is known of it, into the folder."""
    from benchmarks.comparison.cases import LTL, SAFETY, Case, _model  # noqa: PLC0415 # not where the GPU is

    from everafter.engine.code.machine import ptx_of  # noqa: PLC0415
    from everafter.engine.gpu.device_code import gpu_code  # noqa: PLC0415
    from everafter.engine.gpu.fitted_model import fittings  # noqa: PLC0415
    from everafter.questions.question_code import claim_code  # noqa: PLC0415
    from everafter.user_model import load  # noqa: PLC0415

    folder.mkdir(parents=True, exist_ok=True)
    (folder / "read.ptx").write_bytes(ptx_of(_RANDOM_READS.replace("READS", str(READS)), TARGET))
    larger = [Case(name, _model(file), states, 0, settings) for name, (file, settings, states) in LARGER.items()]
    listed = []
    for case in (*SAFETY, *larger, *LTL):
        name = case.name.replace(": ", "-")
        if only and name not in only:
            continue
        with tempfile.TemporaryDirectory() as place:
            case.place(Path(place))
            question = _question(load(Path(place) / "model.pml"), case.claim)
        begin = time.process_time()
        tries = []
        for number, fitted in enumerate(fittings(question.program, claim_code(question))):
            file = f"{name}.{number}.ptx"
            (folder / file).write_bytes(gpu_code(fitted, TARGET, lambda _: None))
            sizes = {
                "stride": fitted.stride,
                "scratch": fitted.scratch,
                "apart": fitted.apart,
                "entries": fitted.entries,
            }
            tries.append({"file": file, **sizes})
            if number == (4 if case.name.startswith("eratosthenes") else 0):
                break
        seconds = time.process_time() - begin
        listed.append({"name": name, "states": case.states, "tries": tries, "compile": seconds, "claim": case.claim})
        print(f"{name}: {seconds:.1f} s, {tries}", flush=True)
    (folder / "models.json").write_text(json.dumps(listed))


def _question(model: Model, claim: str | None) -> Question:
    """What is asked of a model: safety, or the formula of this name; with all steps."""
    from everafter.questions.property import SAFETY  # noqa: PLC0415
    from everafter.questions.question import Question  # noqa: PLC0415
    from everafter.questions.request import Request  # noqa: PLC0415
    from everafter.stated_questions import questions  # noqa: PLC0415

    safety = Question(model.program, SAFETY)
    if claim is None:
        return safety
    (asked,) = questions(model, Request(formulas=(claim,)))
    return asked.question(safety)


def run(folder: Path, runs: int, only: Sequence[str], settings: Sequence[str]) -> None:
    """Search every model in the folder."""
    gpu = Gpu()
    for setting in settings:
        name, _, value = setting.partition("=")
        setattr(gpu, name, int(value))
    print(f"{gpu.name}, {gpu.multiprocessors} multiprocessors, {gpu.free(0) >> 30} GiB may be used")
    results = []
    for model in json.loads((folder / "models.json").read_text()):
        if not only or model["name"] in only:
            results.append(_measured(gpu, folder, model, runs))
            print(" ".join(f"{key}={value}" for key, value in results[-1].items()), flush=True)
    print(json.dumps(_random_reads(gpu, (folder / "read.ptx").read_bytes())), flush=True)
    (folder / "results.json").write_text(json.dumps(results))


def _measured(gpu: Gpu, folder: Path, model: dict[str, Any], runs: int) -> dict[str, Any]:
    search = DeviceCycleSearch if model["claim"] else LevelSearch
    for tried in model["tries"]:
        begin = time.perf_counter()
        kernels = Kernels(gpu, (folder / tried["file"]).read_bytes(), tried["entries"], tried["apart"])
        registers, local, blocks = kernels.figures("search")
        loaded = time.perf_counter() - begin
        begin = time.perf_counter()
        outcomes: list[LevelOutcome] = []
        whole = []
        for _ in range(runs):
            begin = time.perf_counter()
            outcomes.append(search(gpu, kernels, tried["stride"], gpu.free(tried["scratch"])).run())
            whole.append(time.perf_counter() - begin)
        if outcomes[0].ending.value != "the model failed":
            break
    seconds = min(each.figures.seconds - each.confirmation for each in outcomes)
    confirmation = min(each.confirmation for each in outcomes)
    figures = outcomes[0].figures
    return {
        "name": model["name"],
        "ending": outcomes[0].ending.value,
        "right": sorted({each.figures.states for each in outcomes}) == [model["states"]],
        "states": figures.states,
        "transitions": figures.transitions,
        "search_s": round(seconds, 4),
        "confirmation_s": round(confirmation, 4),
        "whole_s": [round(each, 3) for each in whole],
        "load_s": round(loaded, 3),
        "M_states_per_s": round(figures.states / seconds / 1e6, 1),
        "M_transitions_per_s": round(figures.transitions / seconds / 1e6, 1),
        "registers": registers,
        "local": local,
        "blocks": blocks,
        "stride": tried["stride"],
        "levels": outcomes[0].levels,
    }


def _random_reads(gpu: Gpu, text: bytes) -> dict[str, float]:
    """How many reads of 8 bytes at random places the card makes in a second, in memory of so many bytes."""
    kernels = Kernels(gpu, text)
    found = {}
    for power in (25, 30, 33, 35):
        base, job = gpu.allocate(1 << power), gpu.allocate(64)
        gpu.write(job, base.to_bytes(8, "little") + ((1 << power) - 32).to_bytes(8, "little") + bytes(48))
        times = []
        for _ in range(5):
            begin = time.perf_counter()
            kernels.launch("read", job)
            times.append(time.perf_counter() - begin)
        threads = kernels.figures("read")[2] * gpu.block
        found[f"2^{power}"] = round(threads * READS / min(times) / 1e9, 2)
        gpu.release()
    return found


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("what", choices=("prepare", "run"))
    parser.add_argument("folder", type=Path)
    parser.add_argument("--only", nargs="*", default=[])
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--settings", nargs="*", default=[], help="attributes of Gpu, as block=256 registers=64")
    options = parser.parse_args()
    if options.what == "prepare":
        prepare(options.folder, options.only)
    else:
        run(options.folder, options.runs, options.only, options.settings)


if __name__ == "__main__":
    main()
