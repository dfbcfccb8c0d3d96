#!/bin/sh
# with-receivers.sh COMMAND…: starts Alertmanager with alertmanager.yml, in which the receivers are those that variables name:
# ALERT_SLACK_URL, ALERT_EMAIL_TO, ALERT_WEBHOOK_URL (docs/operations/observability.md). None set: alerts are shown, not sent.
set -eu
settings=${ALERT_SETTINGS_FILE:-/tmp/alertmanager.yml}

# A YAML string that no character of a value can end.
quoted() { printf "'%s'" "$(printf %s "$1" | sed "s/'/''/g")"; }

slack() {
  cat <<END
    slack_configs:
      - api_url: $(quoted "$ALERT_SLACK_URL")
        channel: $(quoted "${ALERT_SLACK_CHANNEL:-}")
        send_resolved: true
        title: '[{{ .Status | toUpper }}] {{ .CommonLabels.alertname }}'
        text: '{{ range .Alerts }}{{ .Annotations.summary }}. {{ .Annotations.description }} {{ .Annotations.runbook_url }}{{ "\n" }}{{ end }}'
END
}

email() {
  cat <<END
    email_configs:
      - to: $(quoted "$ALERT_EMAIL_TO")
        from: $(quoted "$ALERT_EMAIL_FROM")
        smarthost: $(quoted "$ALERT_EMAIL_SMARTHOST")
        auth_username: $(quoted "${ALERT_EMAIL_USERNAME:-}")
        auth_password: $(quoted "${ALERT_EMAIL_PASSWORD:-}")
        require_tls: ${ALERT_EMAIL_TLS:-true}
        send_resolved: true
END
}

webhook() {
  echo "    webhook_configs: [{ url: $(quoted "$ALERT_WEBHOOK_URL"), send_resolved: true }]"
}

if [ -n "${ALERT_EMAIL_TO:-}" ]; then
  : "${ALERT_EMAIL_FROM:?set it to the sender of alerts}" "${ALERT_EMAIL_SMARTHOST:?set it to host:port of the mail server}"
fi
umask 077 # It holds addresses and passwords.
{
  sed '/^receivers:/,/^inhibit_rules:/{/^inhibit_rules:/!d;}' "$(dirname "$0")/alertmanager.yml"
  echo 'receivers:'
  for name in pages warnings; do
    echo "  - name: $name"
    if [ -n "${ALERT_SLACK_URL:-}" ]; then slack; fi
    if [ -n "${ALERT_EMAIL_TO:-}" ]; then email; fi
    if [ -n "${ALERT_WEBHOOK_URL:-}" ]; then webhook; fi
  done
} > "$settings"
exec "$@" --config.file="$settings"
