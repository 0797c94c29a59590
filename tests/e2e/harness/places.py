"""Where things lie in the repository."""
import os
import pathlib

E2E = pathlib.Path(__file__).resolve().parent.parent
ROOT = E2E.parent.parent
CACHE = ROOT / "build" / "e2e"
SHARED = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache").expanduser() / "muster" / "e2e"  # by all clones of a user
CONTROL_PLANE = E2E / "control-plane"
STAGES = E2E / "stages.yaml"
AUDIT_POLICY = E2E / "audit-policy.yaml"
DEPLOY = ROOT / "deploy"
EXAMPLES = ROOT / "examples"
CONFORMANCE = ROOT / "tests" / "conformance"
AUDIT_OF_RIGHTS = E2E / "audit-policy-rights.yaml"
