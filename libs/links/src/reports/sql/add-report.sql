-- $1 link, $2 cause, $3 the most rows there may be: then only what is reported already is counted on.
INSERT INTO abuse_reports AS kept (link_id, cause)
SELECT links.id, $2 FROM links
WHERE links.id = $1 AND (
  EXISTS (SELECT FROM abuse_reports WHERE link_id = $1 AND cause = $2) OR (SELECT count(*) FROM abuse_reports) < $3
)
ON CONFLICT (link_id, cause) DO UPDATE SET reports = kept.reports + 1, last_at = now()
RETURNING id
