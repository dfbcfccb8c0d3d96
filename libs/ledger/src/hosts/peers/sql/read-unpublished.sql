-- $1 how many, behind $2 host and $3 class. Own totals that changed since they were published, as they are now, and of the same snapshot what they
-- are published with. As of: what was committed before is in these totals. One row without a class: none changed.
SELECT own.epoch::float8 AS epoch, own.is_whole AS "isWhole", own.next_offset AS "nextOffset",
  CASE WHEN folded_to IS NOT NULL THEN least(folded_to, statement_timestamp()) END AS "asOf", is_attributed AS "isAttributed",
  change.last_value::text AS "lastChange", incarnation::text AS incarnation,
  changed.host_id AS "hostId", changed.class, changed.change::text AS change, hosts.kind, hosts.name,
  coalesce(totals.p, 0)::float8 AS p, coalesce(totals.n, 0)::float8 AS n
FROM host_datacenter AS own
CROSS JOIN host_unpublished_change AS change
CROSS JOIN ledger_incarnation
LEFT JOIN (
  SELECT host_id, class, change FROM host_unpublished WHERE (host_id, class) > ($2, $3) ORDER BY host_id, class LIMIT $1
) AS changed ON true
LEFT JOIN hosts ON hosts.id = changed.host_id
LEFT JOIN host_totals AS totals
  ON totals.kind = hosts.kind AND totals.host_id = changed.host_id AND totals.class = changed.class AND totals.dc = ''
ORDER BY changed.host_id, changed.class
