{{/* What --group-pods reads and writes beyond the rest: what owns pods, PodGroups of theirs, and the note on the pod. Nothing where it is off. */}}
{{- define "muster.groupRules" -}}
{{- if (.Values.groupPods).enabled }}
- apiGroups: [""] # the PodGroup's name, in an annotation
  resources: [pods]
  verbs: [patch]
- apiGroups: [{{ eq .Values.dialect "kai" | ternary "scheduling.run.ai" "scheduling.volcano.sh" }}]
  resources: [podgroups]
  verbs: [create]
- apiGroups: [""] # why a pod cannot be grouped, as KAI's grouper tells it
  resources: [events]
  verbs: [create]
{{ include (printf "muster.%sOwnerRules" .Values.dialect) . }}
{{- end }}
{{- end }}

{{/* Only their annotations count, and only those of these kinds. */}}
{{- define "muster.volcanoOwnerRules" -}}
- apiGroups: [apps]
  resources: [replicasets, daemonsets, statefulsets]
  verbs: [get]
- apiGroups: [batch]
  resources: [jobs]
  verbs: [get]
{{- end }}

{{/* Every owner up to the topmost; one that may not be read ends the chain. */}}
{{- define "muster.kaiOwnerRules" -}}
- apiGroups: [scheduling.run.ai] # what there is of a group that is to be made
  resources: [podgroups]
  verbs: [get]
- apiGroups: [scheduling.k8s.io] # whether there is one of that name
  resources: [priorityclasses]
  verbs: [get]
- apiGroups: [apps]
  resources: [replicasets, daemonsets, statefulsets, deployments]
  verbs: [get]
- apiGroups: [batch]
  resources: [jobs, cronjobs]
  verbs: [get]
- apiGroups: [kubeflow.org]
  resources: [jaxjobs, mpijobs, notebooks, pytorchjobs, tfjobs, xgboostjobs]
  verbs: [get]
- apiGroups: [trainer.kubeflow.org]
  resources: [trainjobs]
  verbs: [get]
- apiGroups: [ray.io]
  resources: [rayclusters, rayjobs, rayservices]
  verbs: [get]
- apiGroups: [jobset.x-k8s.io]
  resources: [jobsets]
  verbs: [get]
- apiGroups: [leaderworkerset.x-k8s.io]
  resources: [leaderworkersets]
  verbs: [get]
- apiGroups: [argoproj.io]
  resources: [workflows]
  verbs: [get]
- apiGroups: [nvidia.com]
  resources: [dynamographdeployments]
  verbs: [get]
- apiGroups: [egx.nvidia.io]
  resources: [spotrequests]
  verbs: [get]
- apiGroups: [run.ai]
  resources: [trainingworkloads, interactiveworkloads, inferenceworkloads, distributedworkloads, distributedinferenceworkloads]
  verbs: [get]
{{- range .Values.groupPods.owners }}
- apiGroups: [{{ .apiGroup | quote }}]
  resources: {{ toJson .resources }}
  verbs: [get]
{{- end }}
{{- end }}
