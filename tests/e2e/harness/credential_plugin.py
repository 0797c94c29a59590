"""A credential plugin of the tests: prints the token that it was given, and notes for which server it was asked."""
import datetime
import json
import os

asked = json.loads(os.environ["KUBERNETES_EXEC_INFO"])
with open(os.environ["E2E_ASKED"], "a", encoding="utf-8") as notes:
    notes.write(asked["spec"].get("cluster", {}).get("server", "") + "\n")
end = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(seconds=int(os.environ["E2E_SECONDS"]))
print(json.dumps({"apiVersion": asked["apiVersion"], "kind": "ExecCredential",
                  "status": {"token": os.environ["E2E_TOKEN"], "expirationTimestamp": end.strftime("%Y-%m-%dT%H:%M:%SZ")}}))
