{{/* What both dialects read of Kubernetes itself. */}}
{{- define "muster.readRules" -}}
- apiGroups: [""]
  resources: [pods, nodes, namespaces, persistentvolumes, persistentvolumeclaims]
  verbs: [get, list, watch]
- apiGroups: [scheduling.k8s.io]
  resources: [priorityclasses]
  verbs: [get, list, watch]
- apiGroups: [policy]
  resources: [poddisruptionbudgets]
  verbs: [get, list, watch]
- apiGroups: [storage.k8s.io]
  resources: [storageclasses, csinodes, csidrivers, csistoragecapacities]
  verbs: [get, list, watch]
- apiGroups: [resource.k8s.io]
  resources: [resourceclaims, resourceslices, deviceclasses]
  verbs: [get, list, watch]
{{- end }}
