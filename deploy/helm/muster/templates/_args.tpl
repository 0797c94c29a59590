{{/* The flags of the scheduler that is replaced, by its own names. Of muster itself: --dialect, --behaviour, --eviction, --bind, --group-pods, and KAI's health endpoint. */}}
{{- define "muster.args" -}}
- scheduler
- --dialect={{ .Values.dialect }}
- --behaviour={{ .Values.behaviour }}
{{- with .Values.eviction }}
- --eviction={{ . }}
{{- end }}
- --scheduler-conf=/config/{{ .Values.dialect }}-scheduler.conf
- --scheduler-name={{ include "muster.schedulerName" . }}
- --leader-elect=true
- --listen-address=:8080
- --enable-healthz=true
- --healthz-address=:11251
{{- if eq .Values.dialect "kai" }}
- --namespace={{ include "muster.leaseNamespace" . }}
- --bind={{ .Values.bind }}
{{- with .Values.nodePool }}
- --partition-label-value={{ . }}
{{- end }}
{{- else }}
- --lock-object-namespace={{ include "muster.leaseNamespace" . }}
- --enable-metrics=true
{{- end }}
{{- if (.Values.groupPods).enabled }}
- --group-pods=true
{{- end }}
{{- with .Values.extraArgs }}
{{ toYaml . }}
{{- end }}
{{- end }}
