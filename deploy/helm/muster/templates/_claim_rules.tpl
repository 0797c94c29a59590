{{/* What a scheduler that binds by itself does about volumes and devices before. */}}
{{- define "muster.claimRules" -}}
- apiGroups: [""] # which volume a claim gets, or the node to make one for
  resources: [persistentvolumes, persistentvolumeclaims]
  verbs: [patch]
- apiGroups: [resource.k8s.io] # the devices of a claim and who uses them; a finalizer on the claim itself
  resources: [resourceclaims, resourceclaims/status, resourceclaims/binding]
  verbs: [patch]
{{- end }}
