"""A cluster of any size in the shapes of docs/api.md: made up, always the same, for tests of the dashboard alone."""
import datetime
import random

GPU = "nvidia.com/gpu"
GIB = 2**30
HAS = {"cpu": 128, "memory": 1024 * GIB, GPU: 8}
PER_GPU = {"cpu": 12, "memory": 96 * GIB, GPU: 1}
RACK = 32
ROWS_PER_HALL = 8
TEAMS = ["vision", "speech", "search", "robotics", "chemistry", "weather", "ads", "base-models"]
PARTS = ["train", "serve", "play"]
REASONS = [
    ("no-node-fits", "no node can take any of the pods now: Insufficient nvidia.com/gpu on {nodes} of {nodes} nodes"),
    ("gang-incomplete", "only {some} of the {pods} pods that have to start together find a node"),
    ("queue-share", "queue {queue} holds all that it deserves at present"),
    ("cluster-full", "all nodes together have too little free of nvidia.com/gpu"),
]


def moment(seconds_ago):
    return (datetime.datetime.now(datetime.timezone.utc) - datetime.timedelta(seconds=seconds_ago)).strftime("%Y-%m-%dT%H:%M:%SZ")


def nodes(count):
    draw = random.Random(1)
    made = []
    for index in range(count):
        rack = index // RACK
        gpus = draw.choice([0, 2, 4, 5, 7, 8, 8, 8, 8, 8])
        if rack % 9 == 0:
            gpus = draw.choice([0, 0, 0, 8])
        resources = {}
        for name, has in HAS.items():
            used = PER_GPU[name] * gpus
            releasing = PER_GPU[name] if index % 97 == 0 and gpus else 0
            resources[name] = {"allocatable": has, "used": used, "idle": has - used, "releasing": releasing}
        made.append({"node": f"gpu-{index:04}", "unschedulable": index % 211 == 5, "pods": gpus, "resources": resources,
                     "domains": [f"hall-{rack // ROWS_PER_HALL}", f"rack-{rack}"]})
    return {"nodes": made}


def queues():
    draw = random.Random(2)
    made = [{"queue": "root", "state": "Open", "resources": {}}]
    for team in TEAMS:
        parent = {"queue": team, "parent": "root", "state": "Open", "resources": {}}
        children = [{"queue": f"{team}-{part}", "parent": team, "state": "Open", "resources": {}} for part in PARTS]
        for child in children:
            share = draw.randint(200, 2400)
            allocated = int(share * draw.uniform(0.3, 1.2))
            for name, each in PER_GPU.items():
                figures = {"deserved": share, "allocated": allocated, "promised": draw.choice([0, 16]),
                           "requested": int(allocated * draw.uniform(1, 1.8)), "limit": int(share * 1.6)}
                child["resources"][name] = {key: number * each for key, number in figures.items()}
        made += [parent, *children]
        _add_up(parent, children)
    made[-1]["state"] = "Closed"
    _add_up(made[0], [queue for queue in made if queue.get("parent") == "root"])
    return {"queues": sorted(made, key=lambda queue: queue["queue"])}


def _add_up(parent, children):
    for name in PER_GPU:
        parent["resources"][name] = {key: sum(child["resources"][name][key] for child in children)
                                     for key in ("deserved", "allocated", "promised", "requested", "limit")}


def one_node(node):
    """A node with its pods, and some of its GPUs shared."""
    pods = [{"pod": f"ads/job-{index:05}-0", "job": f"ads/job-{index:05}"} for index in range(node["pods"])]
    devices = [{"device": "a1b2-0", "resource": GPU, "used": 0.5, "pods": ["ads/job-00000-0"]}] if pods else []
    return node | {"pod_names": pods, "devices": devices}


def jobs(count, node_count):
    draw = random.Random(3)
    made = []
    for index in range(count):
        team = draw.choice(TEAMS)
        queue = f"{team}-{draw.choice(PARTS)}"
        pods = draw.choice([1, 1, 2, 4, 8, 16, 64])
        state = draw.choices(["running", "waiting", "placed", "partial", "pipelined", "ending", "finished"], [60, 25, 5, 4, 3, 2, 1])[0]
        placed = {"running": pods, "placed": pods, "partial": max(1, pods // 2)}.get(state, 0)
        code, text = draw.choice(REASONS) if state in ("waiting", "partial") else ("none", "")
        text = text.format(nodes=f"{node_count:,}", some=max(1, pods - 1), pods=pods, queue=queue)
        job = {"job": f"{team}/job-{index:05}", "queue": queue, "state": state, "phase": "Running" if placed else "Inqueue",
               "reason": {"code": code, "text": text},
               "pods": {"total": pods, "minimum": pods, "placed": placed, "pending": pods - placed, "leaving": 0}}
        if index % 4 == 1:
            job["workload"] = f"ReplicaSet/{team}-front-{index:05}"
        if state == "waiting":
            job |= {"position": 1 + index % 40, "since": moment(draw.randint(5, 400000))}
        made.append(job)
    return {"jobs": made}


def explanation(job, node_names, ahead):
    """What explain says of a job, in the shape of its -o json."""
    waits = job["state"] in ("waiting", "partial")
    placed = job["pods"]["placed"]
    places = {}
    for pod in range(placed):
        name = node_names[(pod // 8 * 3 + len(job["job"])) % len(node_names)]
        places[name] = places.get(name, 0) + 1
    told = {"job": job["job"], "workload": job.get("workload", ""), "state": job["state"], "phase": job["phase"],
            "reason": job["reason"] | {"hint": "free 4 more of nvidia.com/gpu on gpu-0002, the closest node" if waits else ""},
            "pods": job["pods"] | {"gated": 0, "succeeded": 0, "failed": 0, "would_fit": 1}, "nodes": places,
            "refusals": {"pod": "", "nodes": 0, "reasons": []}, "needs_of": "minimum", "needs": {},
            "queue": {"name": job["queue"],
                      "resources": {GPU: {"deserved": 300, "allocated": 280, "promised": 0, "requested": 420, "limit": 480}},
                      "place": job.get("position", 1), "jobs": 40, "ahead": ahead[:job.get("position", 1) - 1]}}
    if waits:
        count = len(node_names)
        short, tainted = count * 7 // 10, count * 2 // 10
        told["refusals"] = {"pod": f"{job['job']}-0", "nodes": count, "reasons": [
            {"reason": "Insufficient nvidia.com/gpu", "nodes": short}, {"reason": "node(s) had untolerated taint", "nodes": tainted},
            {"reason": "node(s) were unschedulable", "nodes": count - short - tainted}]}
        told["needs"] = {GPU: {"missing": 8 * job["pods"]["total"], "free": 120, "total": 8 * count}}
        told["closest_node"] = {"node": node_names[2], "lacks": {GPU: {"asked": 8, "free": 4}},
                                "held_by": {"vision/job-00001": 3, "ads/job-00009": 1}}
    return told


def decisions(count, known_jobs, node_names):
    draw = random.Random(4)
    made = []
    while len(made) < count:
        job, other = draw.choice(known_jobs), draw.choice(known_jobs)
        cycle = 91000 - len(made) // 5
        for pod in range(min(job["pods"]["total"], 8, count - len(made))):
            one = {"time": moment(len(made) * 0.9), "cycle": cycle, "kind": "bind", "pod": f"{job['job']}-{pod}", "job": job["job"],
                   "node": draw.choice(node_names), "rule": "allocate"}
            if len(made) % 11 == 10:
                one |= {"kind": "evict", "rule": "reclaim", "for_job": other["job"], "for_pod": f"{other['job']}-0",
                        "why": f"queue {other['queue']} is below what it deserves, and queue {job['queue']} above"}
            made.append(one)
    return {"decisions": made}


OLDEST = 200  # the number of the earliest decision that is remembered


def number_decisions(listed):
    """The latest first, with as many before them."""
    for index, one in enumerate(listed["decisions"]):
        one["number"] = OLDEST + 2 * len(listed["decisions"]) - index


def older_decisions(listed, before):
    """As many as are listed, of those before a number."""
    some = listed["decisions"]
    earliest = some[-1]["number"]
    return {"decisions": [one | {"number": one["number"] - len(some), "pod": f"old/{one['number'] - len(some)}"} for one in some
                          if before <= earliest and one["number"] - len(some) < before]}


def foretold(explained, names, changes):
    """An answer with a job of every kind: one for which others go, one that waits for a pod that leaves, one for which others would go
    in vain and with which nothing helps, and one that waits."""
    victim = {"pod": "ads/job-00009-0", "job": "ads/job-00009", "node": names[0], "rule": "preempt", "why": "a lower priority"}
    placement = {"default/try-0": names[0], "default/try-1": names[1]}
    started = {"reason": {"code": "none", "text": "", "hint": ""}, "fits_if": changes}
    return {"jobs": [
        {"job": "default/try", "verdict": "evicts", "cycle": 2, "placement": placement, "victims": [victim], "explanation": started},
        {"job": "default/later", "verdict": "waits", "cycle": 2, "placement": placement, "victims": [], "left": ["web/job-00003-0"],
         "explanation": started | {"fits_if": []}},
        {"job": "default/in-vain", "verdict": "waits", "placement": {}, "victims": [victim | {"pod": "ads/job-00011-0"}],
         "explanation": explained | {"fits_if": []}},
        {"job": "default/large", "verdict": "waits", "placement": {}, "victims": [], "explanation": explained | {"fits_if": changes}}],
        "notes": ["the operator's setting was not known: its default is assumed", "not everything was tried"]}


def cycles(count):
    draw = random.Random(5)
    made = []
    for index in range(count):
        phases = {"open": draw.uniform(5e-4, 2e-3), "enqueue": 2e-4, "allocate": draw.uniform(1e-3, 2e-2),
                  "close": draw.uniform(4e-4, 1e-3)}
        made.append({"cycle": 91000 - index, "time": moment(index), "seconds": sum(phases.values()), "phases": phases,
                     "binds": draw.choice([0, 0, 3, 40]), "evictions": draw.choice([0, 0, 0, 2])})
    return {"cycles": made}


def metrics():
    lines = ["# TYPE muster_cycle_phase_seconds histogram"]
    for phase, seconds, count in (("open", 12.5, 9000), ("allocate", 84.2, 9000), ("close", 6.1, 9000), ("looks", 2.4, 310)):
        for member, value in (("sum", seconds), ("count", count)):
            lines.append(f'muster_cycle_phase_seconds_{member}{{phase="{phase}"}} {value}')
    return "\n".join(lines) + "\n"


def configuration():
    actions = "enqueue, allocate, backfill"
    text = f'actions: "{actions}"\ntiers:\n- plugins:\n  - name: gang\n'
    return {"source": "/etc/muster/scheduler.conf", "text": text, "sections": [
        {"name": "actions", "meaning": "what a cycle does, in this order", "keys": [
            {"key": "actions", "value": actions, "default": actions, "from": "file", "meaning": "the actions of a cycle"}]},
        {"name": "binpack", "meaning": "fills nodes that are in use already", "keys": [
            {"key": "binpack.weight", "value": 10, "default": 1, "from": "file", "meaning": "how much its score counts"},
            {"key": "binpack.cpu", "value": 1, "default": 1, "from": "default", "meaning": "how much cpu counts"}]}]}
