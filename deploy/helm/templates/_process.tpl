{{- /* The environment of a process of the kind `api` or `worker`: what the chart decides, values, and keys of the Secret. */ -}}
{{- define "winnow.environment" -}}
{{- $lists := $.root.Files.Get "settings.yaml" | fromYaml -}}
{{- $known := concat $lists.shared $lists.api $lists.worker -}}
{{- range $name, $_ := $.root.Values.settings }}
  {{- if not (has $name $known) }}
    {{- fail (printf "settings.%s is no setting that values can have. Secret ones belong into the Secret; see settings.yaml of the chart for all names." $name) }}
  {{- end }}
{{- end }}
- name: HOST
  value: 0.0.0.0
{{- range $name := concat $lists.shared (get $lists $.kind) }}
{{- $value := get $.root.Values.settings $name | toString }}
{{- if eq $name "WINNOW_OWN_PORTS" }}
  {{- $value = printf "%s-winnow:%v,%s" $.root.Release.Name $.root.Values.service.port $value | trimSuffix "," }}
{{- end }}
{{- if $value }}
- name: {{ $name }}
  value: {{ $value | quote }}
{{- end }}
{{- end }}
{{- range $name := concat $lists.secret.shared (get $lists.secret $.kind) }}
- name: {{ $name }}
  valueFrom:
    secretKeyRef:
      name: {{ include "winnow.secret" $.root }}
      key: {{ $name }}
      optional: {{ not (has $name (list "DATABASE_URL" "WINNOW_SECRET_KEY" "WINNOW_API_KEY")) }}
{{- end }}
{{- if $.root.Values.temporalTls.secret }}
{{- range $file, $name := dict "ca.crt" "TEMPORAL_TLS_SERVER_CA_CERT_PATH" "tls.crt" "TEMPORAL_TLS_CLIENT_CERT_PATH" "tls.key" "TEMPORAL_TLS_CLIENT_KEY_PATH" }}
{{- if has $file $.root.Values.temporalTls.files }}
- name: {{ $name }}
  value: /etc/winnow/temporal/{{ $file }}
{{- end }}
{{- end }}
{{- end }}
{{- end }}

{{- /* What the pods of both kinds have in common. */ -}}
{{- define "winnow.pod" -}}
serviceAccountName: {{ $.root.Release.Name }}-winnow
automountServiceAccountToken: false
enableServiceLinks: false
{{- with $.root.Values.imagePullSecrets }}
imagePullSecrets: {{ toYaml . | nindent 2 }}
{{- end }}
{{- with $.part.nodeSelector }}
nodeSelector: {{ toYaml . | nindent 2 }}
{{- end }}
{{- with $.part.tolerations }}
tolerations: {{ toYaml . | nindent 2 }}
{{- end }}
topologySpreadConstraints:
  - maxSkew: 1
    topologyKey: kubernetes.io/hostname
    whenUnsatisfiable: ScheduleAnyway
    labelSelector:
      matchLabels:
        {{- include "winnow.selector" $.root | nindent 8 }}
        app.kubernetes.io/component: {{ $.component }}
volumes:
  - name: tmp
    emptyDir: {}
  - name: shm
    emptyDir: { medium: Memory }
  {{- with $.root.Values.temporalTls.secret }}
  - name: temporal-tls
    secret: { secretName: {{ . }} }
  {{- end }}
{{- end }}

{{- define "winnow.mounts" -}}
- name: tmp
  mountPath: /tmp
- name: shm
  mountPath: /dev/shm
{{- if .Values.temporalTls.secret }}
- name: temporal-tls
  mountPath: /etc/winnow/temporal
  readOnly: true
{{- end }}
{{- end }}
