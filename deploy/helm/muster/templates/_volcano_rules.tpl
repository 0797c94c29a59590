{{- define "muster.volcanoRules" -}}
- apiGroups: [""]
  resources: [resourcequotas]
  verbs: [list, watch]
- apiGroups: [policy]
  resources: [poddisruptionbudgets]
  verbs: [list, watch]
- apiGroups: [storage.k8s.io]
  resources: [csinodes]
  verbs: [list, watch]
- apiGroups: [scheduling.volcano.sh]
  resources: [podgroups, queues]
  verbs: [list, watch]
- apiGroups: [topology.volcano.sh]
  resources: [hypernodes]
  verbs: [list, watch]
- apiGroups: [shard.volcano.sh]
  resources: [nodeshards]
  verbs: [list, watch]
- apiGroups: [nodeinfo.volcano.sh]
  resources: [numatopologies]
  verbs: [list, watch]
- apiGroups: [""]
  resources: [pods/binding]
  verbs: [create]
{{ include "muster.claimRules" . }}
- apiGroups: [scheduling.volcano.sh]
  resources: [podgroups] # Volcano's PodGroup has no status of its own
  verbs: [patch]
- apiGroups: [scheduling.volcano.sh]
  resources: [queues] # root and the default queue, when missing
  verbs: [create]
- apiGroups: [scheduling.volcano.sh]
  resources: [queues/status]
  verbs: [patch]
{{- if (.Values.rights).sharedDevices }}
- apiGroups: [""] # who may hand out a node's devices just now, in an annotation
  resources: [nodes]
  verbs: [patch]
- apiGroups: [""] # the geometries of devices; all are listed, so none can be named
  resources: [configmaps]
  verbs: [list, watch]
{{- end }}
{{- end }}
