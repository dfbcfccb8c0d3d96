-- $1 links and $2/$3 from and to (parallel), $4 classes left out.
SELECT count(*)::float8 AS visits
FROM unnest($1::bigint[], $2::timestamptz[], $3::timestamptz[]) AS busy (in_link, from_time, to_time)
CROSS JOIN LATERAL (
  SELECT class FROM visits
  WHERE link_id = busy.in_link AND occurred_at >= busy.from_time AND occurred_at < busy.to_time
  OFFSET 0 -- one index scan per link and bucket, see ledger_dimensions()
) AS visit
WHERE class <> ALL ($4::smallint[])
