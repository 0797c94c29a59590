{{- define "muster.schedulerName" -}}
{{ .Values.schedulerName | default (eq .Values.dialect "kai" | ternary "kai-scheduler" "volcano") }}
{{- end }}

{{- define "muster.leaseNamespace" -}}
{{ .Values.leaderElection.namespace | default (eq .Values.dialect "kai" | ternary "kai-scheduler" "volcano-system") }}
{{- end }}

{{/* The original's Lease: KAI calls it like the scheduler, with the pool; Volcano always calls it volcano. */}}
{{- define "muster.leaseName" -}}
{{- if eq .Values.dialect "volcano" -}}
volcano
{{- else -}}
{{ include "muster.schedulerName" . }}{{ with .Values.nodePool }}-{{ . }}{{ end }}
{{- end -}}
{{- end }}

{{- define "muster.selector" -}}
app.kubernetes.io/name: muster
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "muster.labels" -}}
{{ include "muster.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/component: scheduler
{{- end }}
