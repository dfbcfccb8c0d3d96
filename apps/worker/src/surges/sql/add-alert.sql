-- $1 kind, $2 host, $3 what, $4 at, $5 visits, $6 base, $7 whether it is new, $8 reason, $9 explanation. Of a host that surges already,
-- 'opened' is refused (host_alerts_opened), and so is anything else of one that does not.
INSERT INTO host_alerts (alert_id, kind, host, what, at, visits, base, is_new, reason, explanation)
VALUES ((SELECT alert_id FROM host_surges WHERE kind = $1 AND host = $2::text), $1, $2::text, $3, $4, $5, $6, $7, $8, $9)
RETURNING coalesce(alert_id, id)::text AS id
