{{- define "muster.volcanoRules" -}}
- apiGroups: [""]
  resources: [resourcequotas]
  verbs: [get, list, watch]
- apiGroups: [scheduling.volcano.sh]
  resources: [podgroups, queues]
  verbs: [get, list, watch]
- apiGroups: [topology.volcano.sh]
  resources: [hypernodes]
  verbs: [get, list, watch]
- apiGroups: [shard.volcano.sh]
  resources: [nodeshards]
  verbs: [get, list, watch]
- apiGroups: [nodeinfo.volcano.sh]
  resources: [numatopologies]
  verbs: [get, list, watch]
- apiGroups: [""]
  resources: [pods/binding]
  verbs: [create]
{{ include "muster.claimRules" . }}
- apiGroups: [scheduling.volcano.sh]
  resources: [podgroups, podgroups/status] # Volcano's PodGroup has no status of its own
  verbs: [update, patch]
- apiGroups: [scheduling.volcano.sh]
  resources: [queues] # root and the default queue, when missing
  verbs: [create]
- apiGroups: [scheduling.volcano.sh]
  resources: [queues/status]
  verbs: [update, patch]
{{- if (.Values.rights).sharedDevices }}
- apiGroups: [""] # who may hand out a node's devices just now, in an annotation
  resources: [nodes]
  verbs: [patch]
- apiGroups: [""] # the geometries of devices; all are listed, so none can be named
  resources: [configmaps]
  verbs: [list, watch]
{{- end }}
{{- end }}
