{{- define "muster.kaiRules" -}}
- apiGroups: [scheduling.run.ai]
  resources: [podgroups, queues, bindrequests]
  verbs: [list, watch]
- apiGroups: [kai.scheduler]
  resources: [topologies]
  verbs: [list, watch]
- apiGroups: [topology.node.k8s.io]
  resources: [noderesourcetopologies]
  verbs: [list, watch]
- apiGroups: [scheduling.run.ai] # KAI's binder carries them out; one whose creation got no answer is read
  resources: [bindrequests]
  verbs: [get, create, delete]
{{- if eq .Values.bind "direct" }}
- apiGroups: [""]
  resources: [pods/binding]
  verbs: [create]
{{ include "muster.claimRules" . }}
{{- end }}
- apiGroups: [scheduling.run.ai]
  resources: [podgroups] # time stamps in annotations
  verbs: [patch]
- apiGroups: [scheduling.run.ai]
  resources: [podgroups/status]
  verbs: [patch]
{{- end }}
