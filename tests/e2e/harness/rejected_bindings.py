"""A policy of the API server that rejects bindings, as an administrator's might."""
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
    probe = a_pod("t", f"{prefix}probe", {"cpu": "1"}, scheduler="nobody")
    cluster.create_all([creation(probe)])
    path = f"/api/v1/namespaces/t/pods/{prefix}probe"
    wait_until("the policy is in force", lambda: cluster.admin.status_of("POST", f"{path}/binding?dryRun=All", a_binding(probe, "n-0")) == 422)
    cluster.admin.delete(path)


def allow_bindings(cluster: Cluster) -> None:
    """The policy counts no more."""
    cluster.admin.delete(f"{POLICIES}/validatingadmissionpolicybindings/reject")
