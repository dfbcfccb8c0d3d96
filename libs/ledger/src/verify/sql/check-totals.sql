-- $1 link (null: all), $2 classes that count as bots, $3 whether months were dropped, $4 how many
-- differences at most. Totals against the ledger (see check-slots.sql), of the links that no unprocessed change names.
SELECT
  coalesce(kept.link_id, ledger.link_id) AS link_id,
  jsonb_build_object('visits', coalesce(ledger.visits, 0), 'nonBots', coalesce(ledger.non_bots, 0)) AS expected,
  jsonb_build_object('visits', coalesce(kept.visits, 0), 'nonBots', coalesce(kept.non_bot_visits, 0)) AS actual
FROM (SELECT * FROM link_totals WHERE $1::bigint IS NULL OR link_id = $1) AS kept
FULL JOIN (
  SELECT link_id, sum(visits) AS visits, sum(visits) FILTER (WHERE class <> ALL ($2::smallint[])) AS non_bots
  FROM (
    SELECT link_id, class, 1 AS visits FROM visits WHERE NOT $3::boolean
    UNION ALL
    SELECT link_id, class, visits FROM link_traffic WHERE $3
  ) AS counted
  WHERE $1::bigint IS NULL OR link_id = $1
  GROUP BY 1
) AS ledger ON ledger.link_id = kept.link_id
LEFT JOIN (SELECT DISTINCT unnest(link_ids) AS link_id FROM link_changes) AS change
  ON change.link_id = coalesce(kept.link_id, ledger.link_id)
WHERE change.link_id IS NULL
  AND (coalesce(kept.visits, 0), coalesce(kept.non_bot_visits, 0))
    <> (coalesce(ledger.visits, 0), coalesce(ledger.non_bots, 0))
LIMIT $4
