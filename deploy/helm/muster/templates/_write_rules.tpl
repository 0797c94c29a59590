{{/* What both dialects write: conditions of pods, evictions, events. */}}
{{- define "muster.writeRules" -}}
- apiGroups: [""]
  resources: [pods/status]
  verbs: [patch]
- apiGroups: [""]
  resources: [pods/eviction]
  verbs: [create]
{{- if or (eq .Values.eviction "delete") (and (not .Values.eviction) (eq .Values.behaviour "exact")) }}
- apiGroups: [""] # the originals evict by deleting
  resources: [pods]
  verbs: [delete]
{{- end }}
{{- if and (eq .Values.dialect "kai") .Values.nodePool }}
- apiGroups: [""] # the pool's label is put on
  resources: [pods]
  verbs: [patch]
{{- end }}
- apiGroups: [events.k8s.io]
  resources: [events]
  verbs: [create]
{{- end }}
