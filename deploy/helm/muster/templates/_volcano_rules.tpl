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
  verbs: [get, list, watch, delete] # deleted with their node
- apiGroups: [""]
  resources: [pods/binding]
  verbs: [create]
- apiGroups: [scheduling.volcano.sh]
  resources: [podgroups, podgroups/status] # Volcano's PodGroup has no status of its own
  verbs: [update, patch]
- apiGroups: [scheduling.volcano.sh]
  resources: [queues] # root and the default queue, when missing
  verbs: [create]
- apiGroups: [scheduling.volcano.sh]
  resources: [queues/status]
  verbs: [update, patch]
- apiGroups: [shard.volcano.sh]
  resources: [nodeshards/status]
  verbs: [update, patch]
- apiGroups: [""] # volumes are bound before their pod
  resources: [persistentvolumes, persistentvolumeclaims]
  verbs: [update, patch]
- apiGroups: [resource.k8s.io] # devices, too
  resources: [resourceclaims/status, resourceclaims/binding]
  verbs: [update, patch]
{{- end }}
