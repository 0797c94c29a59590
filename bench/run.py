#!/usr/bin/env python3
"""Measures one scheduling cycle of the release build on large clusters, and compares it with the original scheduler.

    bench/run.py [--only SHAPE] [--dialect NAME] [--quick] [--runs N] [--core N] [--muster PATH] [--no-reference]
    bench/run.py --growth [--only SHAPE] [--quick]

decide      opening the cycle + its actions + closing it, without reading the input; the best of --runs
load, MB/s  reading and decoding the input
pods/s      pods waiting for a place, per second of decide
memory      the process's peak
reference   decide with --search reference, the plain search that looks at every node; "same" when its outcome is byte for
            byte the indexed search's. Left out where it would take longer than a minute
peer        the original's time for the same input, from peers.tsv or kai_peers.tsv, and how many times longer that is
bar         what decide is to stay below, where there is such a bar

Everything is measured in the behaviour exact; shapes that evict are measured in safe, too, on lines of their own.

--growth prints instead how decide grows from 100 to 5,000 nodes, for each shape of KAI's dialect, with pods in proportion.

Exit status 1 when an outcome differs from what the original does or from the reference search; seconds alone never fail. All
figures also go to build/bench/results.json.
"""
import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
from dataclasses import asdict, dataclass

ROOT = pathlib.Path(__file__).resolve().parent.parent
SHARED = ROOT.parent / "shared" / "bench" / "gen"
WORK = ROOT / "build" / "bench"
SIZES = [1_000, 2_000, 5_000, 10_000, 20_000, 50_000, 100_000]  # nodes; fill has two pods for each
QUICK_SIZES = 5_000
LIMIT_SECONDS = 600
REFERENCE_LIMIT_SECONDS = 60
REFERENCE_SECONDS_PER_PAIR = 200e-9  # a guess from above: what the plain search takes for one pod and one node
TIMING = re.compile(rb',?"timing_us":\{"load":\d+,"cycles":\[[^\]]*\]\},"work":\[[^\]]*\]')
LATER_ROUNDS, LATER_CHANGES = 50, 100
LATER_BAR_MS = 2  # KAI's busy, each cycle after the first
GROWTH_NODES = [100, 200, 500, 1_000, 2_000, 5_000]
# KAI's shapes and how many pods each has for a node.
GROWTH = {"fill": 2, "single": 8, "busy": 35, "nofit": 8, "reclaim": 8, "reclaimgang": 0.5, "preempt": 4, "rack": 1.8,
          "consolidate": 0.4}
GROWTH_LIMIT_SECONDS = 60  # a shape that took longer than this is not measured at larger sizes
# Shapes at the sizes for which muster has set itself a bar, beyond those the peers were measured at: name, nodes, pods.
# The original does not finish rack, hyper and tree within minutes.
LARGER = [("affinity", 5000, 5000), ("anti", 5000, 5000), ("spread", 5000, 5000), ("fill", 100_000, 100_000),
          ("rack", 5000, 9000), ("hyper", 6000, 1000), ("tree", 2000, 50_000)]
# Shapes that evict, once more in the behaviour safe, which is what users run: name, nodes, pods. It is not the peer's, so only
# the two searches are compared.
SAFE = [("reclaim", 500, 4000), ("preempt", 500, 2000), ("reclaimgang", 1000, 500)]
# Shapes with other actions than their generator gives them, under a name of their own: shape, nodes, pods, actions. Small enough
# for the plain search, which finds out anew for every job who might leave.
OTHER_ACTIONS = {"gangsofone": ("reclaim", 200, 1600, "enqueue, allocate, gangpreempt, gangreclaim, backfill")}


@dataclass
class Shape:
    name: str
    nodes: int
    pods: int
    waiting: int
    bound: int | None = None  # what the peer does with it; None when it was not measured there
    evicted: int | None = None
    peer_seconds: str = ""
    dialect: str = "volcano"
    pipelined: int | None = None
    bar_ms: float | None = None
    behaviour: str = "exact"

    def reference_estimate(self):
        return self.waiting * self.nodes * REFERENCE_SECONDS_PER_PAIR


@dataclass
class Run:
    decide: float
    load: float
    peak_mib: float
    bound: int
    evicted: int
    pipelined: int
    outcome: bytes


class Failed(Exception):
    """muster did not finish a case."""


# --- what is measured ---

def lines_of(table):
    for line in (ROOT / "bench" / table).read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            yield line.split("\t")


def shapes_of_peers():
    for name, nodes, pods, waiting, bound, evicted, seconds in lines_of("peers.tsv"):
        yield Shape(name, int(nodes), int(pods), int(waiting), int(bound), int(evicted), seconds)


def shapes_of_kai():
    for name, nodes, pods, waiting, bound, evicted, pipelined, seconds, bar in lines_of("kai_peers.tsv"):
        yield Shape(name, int(nodes), int(pods), int(waiting), int(bound), int(evicted), seconds, "kai", int(pipelined), float(bar))


def sizes(quick):
    return [Shape("fill", nodes, 2 * nodes, 2 * nodes) for nodes in SIZES if not quick or nodes <= QUICK_SIZES]


def selected(args):
    known = list(shapes_of_peers()) if SHARED.exists() else []
    measured = {(shape.name, shape.nodes, shape.pods) for shape in known}
    if SHARED.exists():
        known += [Shape(name, nodes, pods, pods) for name, nodes, pods in LARGER if not args.quick or nodes <= QUICK_SIZES]
        known += [Shape(name, nodes, pods, pods, behaviour="safe") for name, nodes, pods in SAFE]
        known += [Shape(name, nodes, pods, pods, behaviour="safe") for name, (_, nodes, pods, _) in OTHER_ACTIONS.items()]
    known += [shape for shape in sizes(args.quick) if (shape.name, shape.nodes, shape.pods) not in measured]
    if SHARED.exists():
        known += shapes_of_kai()
    return [shape for shape in known if args.only in ("", shape.name) and args.dialect in ("", shape.dialect)]


def with_other_actions(shape):
    """The file with the case of another shape and the actions of this one."""
    name, nodes, pods, actions = OTHER_ACTIONS[shape.name]
    case = json.loads(input_of(Shape(name, nodes, pods, pods)).read_bytes())
    case["config"] = re.sub(r'(?m)^actions: ".*"$', f'actions: "{actions}"', case["config"])
    path = WORK / f"{shape.name}-{nodes}x{pods}.jsonl"
    path.write_text(json.dumps(case) + "\n", encoding="utf-8")
    return path


def input_of(shape):
    """The file with the shape's case, made when it is missing or older than its generator."""
    if shape.name in OTHER_ACTIONS:
        return with_other_actions(shape)
    own = ROOT / "bench" / "fill.py"
    generator = SHARED if SHARED.exists() else own
    prefix = "own-" if generator == own else "" if shape.dialect == "volcano" else f"{shape.dialect}-"
    path = WORK / f"{prefix}{shape.name}-{shape.nodes}x{shape.pods}.jsonl"
    if path.exists() and path.stat().st_mtime > generator.stat().st_mtime:
        return path
    size = [str(shape.nodes), str(shape.pods)]
    command = [own, *size] if generator == own else [SHARED, shape.name, "--nodes", size[0], "--pods", size[1],
                                                     "--dialect", shape.dialect]
    print(f"making {path.name}", file=sys.stderr)
    unfinished = path.with_suffix(".part")
    with unfinished.open("wb") as out:
        subprocess.run(command, stdout=out, check=True)
    unfinished.rename(path)
    return path


# --- measuring ---

def seconds_of_cycles(timing):
    return sum(cycle["open"] + sum(cycle["actions"].values()) + cycle["close"] for cycle in timing["cycles"]) / 1e6


def run_once(args, path, limit, *options, behaviour="exact"):
    output = WORK / "outcome.json"
    command = [args.muster, "schedule", "--batch", path, "--timing", "--behaviour", behaviour, *options]
    measured = subprocess.run([ROOT / "bench" / "measure.py", str(args.core), output, str(limit), *command],
                              check=True, stdout=subprocess.PIPE)
    facts = json.loads(measured.stdout)
    if facts["status"] != 0:
        raise Failed(f"exit status {facts['status']} after {facts['seconds']:.1f} s")
    text = output.read_bytes()
    outcome = json.loads(text)
    if "error" in outcome:
        raise Failed(outcome["error"])
    timing = outcome["timing_us"]
    return Run(seconds_of_cycles(timing), timing["load"] / 1e6, facts["peak_kib"] / 1024, len(outcome.get("binds", {})),
               len(outcome.get("evicted", [])), len(outcome.get("pipelined", {})), TIMING.sub(b"", text))


def best_of(args, path, behaviour="exact"):
    runs = [run_once(args, path, LIMIT_SECONDS, behaviour=behaviour) for _ in range(args.runs)]
    if any(run.outcome != runs[0].outcome for run in runs):
        raise Failed("two runs on the same input decided differently")
    return min(runs, key=lambda run: run.decide)


def reference_of(args, shape, path, best):
    """(seconds or None, "same", "DIFFERS", or why it was not run)."""
    if args.no_reference:
        return None, "not asked for"
    if shape.reference_estimate() > REFERENCE_LIMIT_SECONDS:
        return None, "too long"
    try:
        reference = run_once(args, path, 2 * REFERENCE_LIMIT_SECONDS, "--search", "reference",
                             behaviour=shape.behaviour)
    except Failed as error:
        return None, str(error)
    return reference.decide, "same" if reference.outcome == best.outcome else "DIFFERS"


# --- reporting ---

def duration(seconds):
    if seconds is None:
        return "-"
    return f"{seconds:.2f} s" if seconds >= 1 else f"{seconds * 1e3:.2f} ms"


def ratio(shape, best):
    """How many times longer the peer takes: from its shortest to its longest time."""
    if not shape.peer_seconds:
        return "-"
    times = [float(part) / max(best.decide, 1e-6) for part in shape.peer_seconds.split("-")]
    return "-".join(f"{value:,.0f}" for value in times)


def counts_agree(shape, best):
    if shape.pipelined not in (None, best.pipelined):
        return False
    return shape.bound is None or (shape.bound, shape.evicted) == (best.bound, best.evicted)


def bar(shape, best):
    if shape.bar_ms is None:
        return "-"
    return f"{'within' if best.decide * 1e3 <= shape.bar_ms else 'OVER'} {shape.bar_ms:g} ms"


def row(*cells):
    print("{:7} {:11} {:5} {:>7} {:>7} {:>10} {:>10} {:>6} {:>11} {:>7} {:>7} {:>9} {:>10} {:10} {:>9} {:>13} {:>13}".format(*cells),
          flush=True)


def report(shape, megabytes, best, reference_seconds, verdict):
    row(shape.dialect, shape.name, shape.behaviour, shape.nodes, shape.pods, duration(best.decide), duration(best.load),
        f"{megabytes / max(best.load, 1e-6):.0f}",
        f"{shape.waiting / max(best.decide, 1e-6):,.0f}", best.bound, best.evicted, f"{best.peak_mib:.0f} MiB",
        duration(reference_seconds), verdict, f"{shape.peer_seconds} s" if shape.peer_seconds else "-", ratio(shape, best),
        bar(shape, best))
    if not counts_agree(shape, best):
        print(f"  DIFFERS: the peer binds {shape.bound}, evicts {shape.evicted}"
              + (f" and pipelines {shape.pipelined}, not {best.pipelined}" if shape.pipelined is not None else ""))


def facts_of(shape, megabytes, best, reference_seconds, verdict):
    facts = {**asdict(shape), "megabytes": megabytes, "reference_seconds": reference_seconds, "reference": verdict}
    return facts | {"decide_seconds": best.decide, "load_seconds": best.load, "peak_mib": best.peak_mib,
                    "muster_bound": best.bound, "muster_evicted": best.evicted}


def measure(args, shape):
    """The figures of one shape, and whether all agreed."""
    path = input_of(shape)
    megabytes = path.stat().st_size / 1e6
    try:
        best = best_of(args, path, shape.behaviour)
    except Failed as error:
        print(f"{shape.dialect:7} {shape.name:11} {shape.behaviour:5} {shape.nodes:7} {shape.pods:7}  FAILED: {error}")
        return {**asdict(shape), "error": str(error)}, False
    reference_seconds, verdict = reference_of(args, shape, path, best)
    report(shape, megabytes, best, reference_seconds, verdict)
    return facts_of(shape, megabytes, best, reference_seconds, verdict), counts_agree(shape, best) and verdict != "DIFFERS"


# --- cycles after the first ---

def second_cycle(args):
    """nofit once more with nothing changed in between: what an idle cluster costs."""
    path = input_of(Shape("nofit", 5000, 20000, 20000))
    twice = path.with_name("nofit-twice.jsonl")
    twice.write_bytes(path.read_bytes().replace(b'"cycles":1', b'"cycles":2', 1))
    run_once(args, twice, LIMIT_SECONDS)
    cycles = json.loads((WORK / "outcome.json").read_bytes())["timing_us"]["cycles"]
    print(f"nofit, second cycle with nothing changed: {duration(seconds_of_cycles({'cycles': cycles[1:]}))}")


def later_cycles(args, shape, program):
    path = input_of(shape)
    program = args.muster.parent / "bench" / program
    if not program.exists():
        print(f"{shape.dialect} busy, later cycles: bench/{program.name} is not built; ./dev bench builds it")
        return
    command = ["taskset", "-c", str(args.core), program, path, str(LATER_ROUNDS), str(LATER_CHANGES)]
    facts = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)
    print(f"{shape.dialect} busy, {LATER_ROUNDS} later cycles after {LATER_CHANGES} changed pods each: "
          f"median {duration(facts['median_us'] / 1e6)}, worst {duration(facts['worst_us'] / 1e6)} "
          f"(first cycle {duration(facts['first_us'] / 1e6)})"
          + (f"; bar {LATER_BAR_MS} ms" if shape.dialect == "kai" else ""))


def measure_later(args):
    if args.dialect in ("", "volcano") and args.only in ("", "nofit"):
        second_cycle(args)
    if args.dialect in ("", "volcano") and args.only in ("", "busy"):
        later_cycles(args, Shape("busy", 5000, 150000, 6), "later_cycles")
    if args.dialect in ("", "kai") and args.only in ("", "busy"):
        later_cycles(args, Shape("busy", 4000, 140000, 6, dialect="kai"), "kai_later_cycles")


# --- how time grows ---

def growth_of(args, name, pods_per_node):
    """decide by the number of nodes; None where it was not measured or did not end in time."""
    times = []
    for nodes in GROWTH_NODES:
        if times and (times[-1] is None or times[-1] > GROWTH_LIMIT_SECONDS):
            times.append(None)
            continue
        pods = round(nodes * pods_per_node)
        try:
            times.append(best_of(args, input_of(Shape(name, nodes, pods, pods, dialect="kai"))).decide)
        except Failed:
            times.append(None)
    return times


def print_growth(args):
    print("| shape | " + " | ".join(f"{nodes:,}" for nodes in GROWTH_NODES) + " |")
    print("|---" * (len(GROWTH_NODES) + 1) + "|")
    for name, pods_per_node in GROWTH.items():
        if args.only in ("", name):
            print(f"| `{name}` | " + " | ".join(map(duration, growth_of(args, name, pods_per_node))) + " |", flush=True)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", metavar="SHAPE", help="only this shape")
    parser.add_argument("--dialect", default="", choices=["volcano", "kai"], help="only shapes of this dialect")
    parser.add_argument("--growth", action="store_true", help="print how decide of KAI's shapes grows with the cluster")
    parser.add_argument("--quick", action="store_true", help=f"one run of each, no cluster beyond {QUICK_SIZES} nodes")
    parser.add_argument("--runs", type=int, help="runs of each shape, the best one counts (default 3)")
    parser.add_argument("--core", type=int, default=max(os.sched_getaffinity(0)), help="the core to run on (default: the last)")
    parser.add_argument("--muster", default=ROOT / "build" / "release" / "muster", type=pathlib.Path)
    parser.add_argument("--no-reference", action="store_true", help="leave out the reference search")
    args = parser.parse_args()
    args.runs = args.runs or (1 if args.quick else 3)
    return args


def main():
    args = arguments()
    if not args.muster.exists():
        sys.exit(f"bench: no {args.muster}; ./dev build release makes it")
    if not SHARED.exists():
        print(f"bench: {SHARED.parent} is absent: only bench/fill.py is measured, and nothing is compared with a peer")
    WORK.mkdir(parents=True, exist_ok=True)
    if args.growth:
        if not SHARED.exists():
            sys.exit(f"bench: --growth needs {SHARED}")
        print_growth(args)
        return 0
    shapes = selected(args)
    if not shapes:
        sys.exit(f"bench: no shape {args.only!r}")
    row("dialect", "shape", "", "nodes", "pods", "decide", "load", "MB/s", "pods/s", "bound", "evicted", "memory", "reference", "",
        "peer", "times longer", "bar")
    results = [measure(args, shape) for shape in shapes]
    if SHARED.exists():
        measure_later(args)
    (WORK / "results.json").write_text(json.dumps([facts for facts, _ in results], indent=2) + "\n", encoding="utf-8")
    return 0 if all(good for _, good in results) else 1


if __name__ == "__main__":
    sys.exit(main())
