"""Judges what schedulers decided, by the audit log: that a pod was decided about twice is not to be seen in the pod, as the API server refuses the second."""
from . import audit, laws
from .cluster import Cluster


def judge_decisions(cluster: Cluster) -> None:
    """From now on, for schedulers of the user "scheduler", who may do everything; told when the test gets to its end."""
    audit.grant_all(cluster)
    cluster.at_end.append(lambda: _check(cluster))


def _check(cluster: Cluster) -> None:
    requests = audit.noted(cluster)
    assert any(one.is_lease for one in requests), "the log says nothing of a scheduler"
    for found in (laws.decided_again(requests, cluster.cuts), laws.requests_remade(requests)):
        assert not found, "\n".join(found[:10])
