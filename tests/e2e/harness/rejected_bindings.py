"""A policy of the API server that rejects bindings, as an administrator's might."""
import contextlib
from typing import Callable, Iterator

from harness.cluster import Cluster
from harness.objects import a_binding, a_pod, creation
from harness.wait import wait_until

POLICIES = "/apis/admissionregistration.k8s.io/v1"


def reject_bindings(cluster: Cluster, prefix: str) -> None:
    """From now on the API server rejects bindings of pods whose names begin so."""
    rule = {"apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["pods/binding"]}
    cluster.admin.create(f"{POLICIES}/validatingadmissionpolicies", {
        "apiVersion": "admissionregistration.k8s.io/v1", "kind": "ValidatingAdmissionPolicy", "metadata": {"name": "reject"},
        "spec": {"matchConstraints": {"resourceRules": [rule]},
                 "validations": [{"expression": f"!object.metadata.name.startsWith('{prefix}')", "message": "not this one"}]}})
    cluster.admin.create(f"{POLICIES}/validatingadmissionpolicybindings", {
        "apiVersion": "admissionregistration.k8s.io/v1", "kind": "ValidatingAdmissionPolicyBinding", "metadata": {"name": "reject"},
        "spec": {"policyName": "reject", "validationActions": ["Deny"]}})
    wait_until_refused(cluster, prefix, 422)


@contextlib.contextmanager
def policy_in_force(cluster: Cluster, prefix: str) -> Iterator[Callable[[], None]]:
    """The value makes it relent."""
    reject_bindings(cluster, prefix)
    yield lambda: allow_bindings(cluster)


def wait_until_refused(cluster: Cluster, prefix: str, code: int) -> None:
    """Until the API server would answer so. The pod that it is tried with was there, and is gone."""
    probe = a_pod("t", f"{prefix}probe", {"cpu": "1"}, scheduler="nobody")
    cluster.create_all([creation(probe)])
    path = f"/api/v1/namespaces/t/pods/{prefix}probe"
    wait_until(f"bindings are answered with {code}", lambda: cluster.admin.status_of("POST", f"{path}/binding?dryRun=All", a_binding(probe, "n-0")) == code)
    cluster.admin.delete(path)


def allow_bindings(cluster: Cluster) -> None:
    """The policy counts no more."""
    cluster.admin.delete(f"{POLICIES}/validatingadmissionpolicybindings/reject")
