-- $1 classes that count as bots. Sums of slots against the table's rows.
SELECT
  coalesce(kept.potential_bot, counted.potential_bot) AS potential_bot,
  coalesce(counted.visits, 0)::float8 AS expected,
  coalesce(kept.visits, 0)::float8 AS actual
FROM (SELECT potential_bot, sum(visits) AS visits FROM orphan_visit_slots GROUP BY 1) AS kept
FULL JOIN (
  SELECT class = ANY ($1::smallint[]) AS potential_bot, count(*) AS visits FROM orphan_visits GROUP BY 1
) AS counted ON counted.potential_bot = kept.potential_bot
WHERE coalesce(kept.visits, 0) <> coalesce(counted.visits, 0)
