-- $1 limit, $2 offset. Newest first.
SELECT reports.id, domains.authority || '/' || links.code AS "shortUrl",
  CASE WHEN links.deleted_at IS NULL THEN links.long_url END AS "longUrl",
  reports.cause, reports.reports::float8 AS reports, reports.first_at AS "firstAt", reports.last_at AS "lastAt"
FROM abuse_reports AS reports
JOIN links ON links.id = reports.link_id
JOIN domains ON domains.id = links.domain_id
ORDER BY reports.last_at DESC, reports.id DESC
LIMIT $1 OFFSET $2
