-- $1 version of the rules, $2 and $3 the range. Of a visit that was purged or erased meanwhile there is no row any more, and
-- nothing moves.
WITH labelled AS (
  UPDATE visits AS visit
  SET class = staged.class, class_reason = staged.class_reason, channel = staged.channel, enrichment_version = $1
  FROM relabel_visits AS staged
  WHERE visit.occurred_at = staged.occurred_at AND visit.event_id = staged.event_id AND visit.class = staged.from_class
    AND visit.occurred_at >= $2::timestamptz AND visit.occurred_at < $3::timestamptz
  RETURNING visit.link_id, visit.occurred_at, visit.event_id, visit.group_id, staged.from_class, visit.class,
    visit.target_host, visit.short_host, visit.referrer_host
)
INSERT INTO moves
SELECT link_id, date_bin('15 minutes', occurred_at, '2000-01-01 00:00:00+00'), coalesce(group_id, ''), from_class, class,
  count(*), bit_xor(event_checksum(event_id)), target_host, short_host, referrer_host
FROM labelled
WHERE from_class <> class
GROUP BY 1, 2, 3, 4, 5, target_host, short_host, referrer_host
