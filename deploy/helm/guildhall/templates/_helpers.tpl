{{- define "guildhall.selector" -}}
app.kubernetes.io/name: guildhall
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "guildhall.labels" -}}
{{ include "guildhall.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version }}
{{- end }}

{{/* The pods that serve and the pod that migrates have the same rights. */}}
{{- define "guildhall.pod" -}}
automountServiceAccountToken: false
# Otherwise a service named "metrics" would set METRICS_PORT.
enableServiceLinks: false
securityContext:
  runAsNonRoot: true
  runAsUser: 65532
  runAsGroup: 65532
  fsGroup: 65532
  seccompProfile:
    type: RuntimeDefault
{{- with .Values.image.pullSecrets }}
imagePullSecrets:
{{- range . }}
  - name: {{ . }}
{{- end }}
{{- end }}
{{- with .Values.nodeSelector }}
nodeSelector: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.tolerations }}
tolerations: {{- toYaml . | nindent 2 }}
{{- end }}
{{- if .Values.files }}
volumes:
  - name: files
    secret:
      secretName: {{ .Values.files }}
      defaultMode: 288 # 0440
{{- end }}
{{- end }}

{{/* Image, settings and rights of a container. */}}
{{- define "guildhall.container" -}}
image: "{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}"
imagePullPolicy: {{ .Values.image.pullPolicy }}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities:
    drop: [ALL]
envFrom:
  - secretRef:
      name: {{ .Values.secret }}
env:
{{- range $name, $value := .Values.settings }}
  - name: {{ $name }}
    value: {{ $value | quote }}
{{- end }}
{{- if .Values.metrics }}
  - name: METRICS_PORT
    value: "9464"
  - name: METRICS_HOST
    valueFrom:
      fieldRef:
        fieldPath: status.podIP
{{- end }}
{{- if .Values.files }}
volumeMounts:
  - name: files
    mountPath: /etc/guildhall
    readOnly: true
{{- end }}
{{- with .Values.resources }}
resources: {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}
