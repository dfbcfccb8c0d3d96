-- $1 link (null: all), $2 classes that count as bots, $3 whether months were dropped, $4 how many
-- differences at most. Sums of slots against the ledger; where months of it are gone, against the buckets, which are
-- held against the ledger and (by the archive) against files.
SELECT
  coalesce(kept.link_id, ledger.link_id) AS link_id,
  coalesce(kept.potential_bot, ledger.potential_bot) AS potential_bot,
  coalesce(ledger.visits, 0)::float8 AS expected,
  coalesce(kept.visits, 0)::float8 AS actual
FROM (
  SELECT link_id, potential_bot, sum(visits) AS visits
  FROM link_visit_slots
  WHERE $1::bigint IS NULL OR link_id = $1
  GROUP BY 1, 2
) AS kept
FULL JOIN (
  SELECT link_id, class = ANY ($2::smallint[]) AS potential_bot, sum(visits) AS visits
  FROM (
    SELECT link_id, class, 1 AS visits FROM visits WHERE NOT $3::boolean
    UNION ALL
    SELECT link_id, class, visits FROM link_traffic WHERE $3
  ) AS counted
  WHERE $1::bigint IS NULL OR link_id = $1
  GROUP BY 1, 2
) AS ledger
  ON ledger.link_id = kept.link_id AND ledger.potential_bot = kept.potential_bot
WHERE coalesce(kept.visits, 0) <> coalesce(ledger.visits, 0)
LIMIT $4
