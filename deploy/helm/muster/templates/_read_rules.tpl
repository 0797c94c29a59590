{{/* What both dialects read of Kubernetes itself. */}}
{{- define "muster.readRules" -}}
- apiGroups: [""]
  resources: [pods, nodes, namespaces, persistentvolumes, persistentvolumeclaims]
  verbs: [list, watch]
- apiGroups: [""] # a pod whose bind got no answer is read
  resources: [pods]
  verbs: [get]
- apiGroups: [scheduling.k8s.io]
  resources: [priorityclasses]
  verbs: [list, watch]
- apiGroups: [storage.k8s.io]
  resources: [storageclasses, csidrivers, csistoragecapacities]
  verbs: [list, watch]
- apiGroups: [resource.k8s.io]
  resources: [resourceclaims, resourceslices, deviceclasses]
  verbs: [list, watch]
{{- end }}
