{{- define "hopcount.name" -}}
{{- if contains "hopcount" .Release.Name }}{{ .Release.Name | trunc 50 }}{{ else }}{{ printf "%s-hopcount" .Release.Name | trunc 50 }}{{ end -}}
{{- end }}

{{/* (list root component) */}}
{{- define "hopcount.selector" -}}
{{- $root := index . 0 -}}
app.kubernetes.io/name: hopcount
app.kubernetes.io/instance: {{ $root.Release.Name }}
app.kubernetes.io/component: {{ index . 1 }}
{{- end }}

{{- define "hopcount.labels" -}}
{{- $root := index . 0 -}}
{{ include "hopcount.selector" . }}
app.kubernetes.io/version: {{ $root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ $root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" $root.Chart.Name $root.Chart.Version }}
{{- end }}

{{/* (list root app tag) */}}
{{- define "hopcount.image" -}}
{{- $root := index . 0 -}}
{{ $root.Values.image.repository }}-{{ index . 1 }}:{{ index . 2 | default $root.Values.image.tag | default $root.Chart.AppVersion }}
{{- end }}

{{- define "hopcount.secretEnv" -}}
- name: {{ .name }}
  valueFrom: { secretKeyRef: { name: {{ .secret }}, key: {{ .key }} } }
{{ end }}

{{/* What every process is told of the stores. (dict "root" … "databaseKey" …) */}}
{{- define "hopcount.storeEnv" -}}
{{- $v := .root.Values -}}
{{ include "hopcount.secretEnv" (dict "name" "DATABASE_URL" "secret" $v.secret.name "key" (.databaseKey | default $v.secret.databaseUrlKey)) }}
{{- if not (has "REDIS_URL" $v.secret.optionalKeys) }}
- { name: REDIS_URL, value: {{ required "redis.url, or REDIS_URL among secret.optionalKeys" $v.redis.url | quote }} }
{{- else }}
{{ include "hopcount.secretEnv" (dict "name" "REDIS_URL" "secret" $v.secret.name "key" "REDIS_URL") }}
{{- end }}
- { name: KAFKA_BROKERS, value: {{ join "," $v.kafka.brokers | quote }} }
- { name: KAFKA_TLS, value: {{ $v.kafka.tls | quote }} }
{{- with $v.kafka.sasl }}
- { name: KAFKA_SASL, value: {{ . | quote }} }
{{ include "hopcount.secretEnv" (dict "name" "KAFKA_USERNAME" "secret" $v.secret.name "key" "KAFKA_USERNAME") }}
{{- include "hopcount.secretEnv" (dict "name" "KAFKA_PASSWORD" "secret" $v.secret.name "key" "KAFKA_PASSWORD") }}
{{- end }}
{{- if $v.caSecret }}
- { name: NODE_EXTRA_CA_CERTS, value: /etc/hopcount/ca/ca.crt }
{{- end }}
{{- end }}

{{- define "hopcount.secretsEnv" -}}
{{- $name := .Values.secret.name -}}
{{ include "hopcount.secretEnv" (dict "name" "HOPCOUNT_SECRET" "secret" $name "key" "HOPCOUNT_SECRET") }}
{{- range $key := without .Values.secret.optionalKeys "REDIS_URL" }}
{{ include "hopcount.secretEnv" (dict "name" $key "secret" $name "key" $key) }}
{{- end }}
{{- end }}

{{/* Shared settings that are not named in `without`, then its own. (dict "root" … "without" (list …) "own" {…}) */}}
{{- define "hopcount.settings" -}}
{{- $shared := .root.Values.env -}}
{{- range .without }}{{ $shared = omit $shared . }}{{ end -}}
{{- range $name, $value := merge (dict) (.own | default (dict)) $shared }}
- { name: {{ $name }}, value: {{ $value | quote }} }
{{- end }}
{{- end }}

{{- define "hopcount.archiveEnv" -}}
{{- with .Values.archive.url }}
- { name: ARCHIVE_URL, value: {{ . | quote }} }
- { name: ARCHIVE_CACHE, value: /var/cache/hopcount }
- { name: ARCHIVE_CACHE_SIZE, value: {{ $.Values.archive.cacheSize | quote }} }
{{- end }}
{{- end }}

{{/* (list root tag) */}}
{{- define "hopcount.opsEnv" -}}
- { name: OPS_HOST, value: 0.0.0.0 }
- { name: OPS_PORT, value: '9100' }
- name: PROCESS_NAME
  valueFrom: { fieldRef: { fieldPath: metadata.name } }
- { name: HOPCOUNT_VERSION, value: {{ include "hopcount.version" . | quote }} }
{{- end }}

{{- define "hopcount.containerSecurity" -}}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: { drop: [ALL] }
{{- end }}

{{- define "hopcount.probes" -}}
startupProbe:
  httpGet: { path: /livez, port: ops }
  periodSeconds: 2
  failureThreshold: 60
livenessProbe:
  httpGet: { path: /livez, port: ops }
  periodSeconds: 10
  timeoutSeconds: 5
  failureThreshold: 6
readinessProbe:
  httpGet: { path: /readyz, port: ops }
  periodSeconds: 2
  timeoutSeconds: 3
  failureThreshold: 2
lifecycle:
  preStop: { sleep: { seconds: 5 } }
{{- end }}

{{/* Of every pod but its containers. (dict "root" … "component" … "grace" … "scheduling" …) */}}
{{- define "hopcount.podBase" -}}
serviceAccountName: {{ .account | default (include "hopcount.name" .root) }}
automountServiceAccountToken: {{ .token | default false }}
{{- with .root.Values.image.pullSecrets }}
imagePullSecrets: {{ toYaml . | nindent 2 }}
{{- end }}
terminationGracePeriodSeconds: {{ .grace }}
securityContext:
  runAsNonRoot: true
  runAsUser: 1000
  runAsGroup: 1000
  fsGroup: 1000
  fsGroupChangePolicy: OnRootMismatch
  seccompProfile: { type: RuntimeDefault }
{{- with .scheduling }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{- define "hopcount.spread" -}}
affinity:
  podAntiAffinity:
    preferredDuringSchedulingIgnoredDuringExecution:
      - weight: 100
        podAffinityTerm:
          topologyKey: kubernetes.io/hostname
          labelSelector: { matchLabels: {{ include "hopcount.selectorMap" . }} }
topologySpreadConstraints:
  - maxSkew: 1
    topologyKey: topology.kubernetes.io/zone
    whenUnsatisfiable: ScheduleAnyway
    labelSelector: { matchLabels: {{ include "hopcount.selectorMap" . }} }
{{- end }}

{{- define "hopcount.mounts" -}}
- { name: tmp, mountPath: /tmp }
{{- if .Values.caSecret }}
- { name: ca, mountPath: /etc/hopcount/ca, readOnly: true }
{{- end }}
{{- end }}

{{- define "hopcount.volumes" -}}
- { name: tmp, emptyDir: {} }
{{- with .Values.caSecret }}
- { name: ca, secret: { secretName: {{ . }} } }
{{- end }}
{{- end }}

{{- define "hopcount.archiveMounts" -}}
{{- if .Values.archive.url }}
- { name: archive-cache, mountPath: /var/cache/hopcount }
{{- if .Values.archive.existingClaim }}
- { name: archive, mountPath: {{ trimPrefix "file://" .Values.archive.url }} }
{{- end }}
{{- end }}
{{- end }}

{{- define "hopcount.archiveVolumes" -}}
{{- if .Values.archive.url }}
- { name: archive-cache, emptyDir: {} }
{{- with .Values.archive.existingClaim }}
- { name: archive, persistentVolumeClaim: { claimName: {{ . }} } }
{{- end }}
{{- end }}
{{- end }}

{{- define "hopcount.selectorMap" -}}
{ app.kubernetes.io/name: hopcount, app.kubernetes.io/instance: {{ (index . 0).Release.Name }}, app.kubernetes.io/component: {{ index . 1 }} }
{{- end }}

{{/* What processes call themselves in health, metrics and visits: the image's tag. (list root tag) */}}
{{- define "hopcount.version" -}}
{{ index . 1 | default (index . 0).Values.image.tag | default (index . 0).Chart.AppVersion | trunc 24 }}
{{- end }}
