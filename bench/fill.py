#!/usr/bin/env python3
"""Writes one case: empty nodes and waiting gangs of 20, for measuring where the larger collection of shapes is not at hand.

    bench/fill.py NODES PODS
"""
import json
import sys

GANG = 20
QUEUES = 4


def thing(version, kind, name, namespace=None, annotations=None, **rest):
    meta = {"name": name, "uid": f"{kind}-{name}".lower(), "creationTimestamp": "2026-01-01T00:00:00Z"}
    if namespace:
        meta["namespace"] = namespace
    if annotations:
        meta["annotations"] = annotations
    return {"apiVersion": version, "kind": kind, "metadata": meta, **rest}


def node(index):
    room = {"cpu": "64", "memory": "256Gi", "nvidia.com/gpu": "8", "pods": "110"}
    return thing("v1", "Node", f"node-{index:06d}",
                 status={"capacity": room, "allocatable": room, "conditions": [{"type": "Ready", "status": "True"}]})


def queue(name):
    return thing("scheduling.volcano.sh/v1beta1", "Queue", name, spec={"weight": 1}, status={"state": "Open"})


def gang(index, size):
    name, shape = f"gang-{index:06d}", index % 50
    ask = {"cpu": str(1 + shape % 8), "memory": f"{2 + shape % 30}Gi"}
    if shape % 3:
        ask["nvidia.com/gpu"] = "1"
    yield thing("scheduling.volcano.sh/v1beta1", "PodGroup", name, "work",
                spec={"minMember": size, "queue": f"queue-{index % QUEUES}"}, status={"phase": "Pending"})
    for member in range(size):
        yield thing("v1", "Pod", f"{name}-{member}", "work", {"scheduling.k8s.io/group-name": name},
                    spec={"schedulerName": "volcano", "containers": [{"name": "main", "resources": {"requests": ask}}]},
                    status={"phase": "Pending"})


def main():
    nodes, pods = map(int, sys.argv[1:])
    objects = [thing("v1", "Namespace", "work"), queue("root"), queue("default")]
    objects += [queue(f"queue-{index}") for index in range(QUEUES)]
    objects += [node(index) for index in range(nodes)]
    for start in range(0, pods, GANG):
        objects += gang(start // GANG, min(GANG, pods - start))
    case = {"id": f"bench/own/fill/{nodes}x{pods}", "dialect": "volcano", "now": "2026-01-01T00:01:00Z", "config": "",
            "objects": objects, "cycles": 1, "expect": {}}
    print(json.dumps(case, separators=(",", ":")))


if __name__ == "__main__":
    main()
