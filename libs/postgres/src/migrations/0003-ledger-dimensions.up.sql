-- What the fold writes, the reader reads and verify compares: one definition, so that they cannot
-- disagree. Ranges are half-open and parallel; rows are the link's visits in them, counted by class
-- (columns in the order of VISIT_CLASSES). Every visit has one value in each dimension.
-- A place is named with what holds it: Paris in France and Paris in Texas are two values.
CREATE FUNCTION ledger_dimensions(of_link bigint, starts timestamptz[], ends timestamptz[])
RETURNS TABLE (dimension text, value text, human bigint, bot bigint, preview bigint, prefetch bigint, opted_out bigint)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 300
SET jit = off
AS $$
  WITH counted AS (
    SELECT
      CASE
        WHEN grouping(visit.country) = 0 THEN 'country'
        WHEN grouping(visit.region) = 0 THEN 'region'
        WHEN grouping(visit.city) = 0 THEN 'city'
        WHEN grouping(visit.os) = 0 THEN 'os'
        WHEN grouping(visit.browser) = 0 THEN 'browser'
        WHEN grouping(visit.device) = 0 THEN 'device'
        WHEN grouping(visit.network) = 0 THEN 'network'
        WHEN grouping(visit.referrer_host) = 0 THEN 'referrer'
        ELSE 'language'
      END AS dimension,
      coalesce(
        visit.country, visit.region, visit.city, visit.os, visit.browser, visit.device, visit.network,
        visit.referrer_host, visit.language
      ) AS value,
      visit.class,
      count(*) AS visits
    FROM (
      SELECT
        ledger.class, ledger.country, ledger.os, ledger.browser, ledger.device, ledger.network,
        ledger.referrer_host, ledger.language,
        CASE WHEN ledger.region = 'unknown' OR ledger.country = 'unknown' THEN ledger.region
          ELSE ledger.region || ', ' || ledger.country END AS region,
        CASE WHEN ledger.city = 'unknown' OR ledger.country = 'unknown' THEN ledger.city
          ELSE ledger.city || ', ' || ledger.country END AS city
      FROM unnest(starts, ends) AS span (from_time, to_time)
      -- OFFSET 0 keeps the planner from reading all of the link's visits and sifting them by range after.
      CROSS JOIN LATERAL (
        SELECT * FROM visits
        WHERE link_id = of_link AND occurred_at >= span.from_time AND occurred_at < span.to_time
        OFFSET 0
      ) AS ledger
    ) AS visit
    GROUP BY GROUPING SETS (
      (class, country), (class, region), (class, city), (class, os), (class, browser), (class, device),
      (class, network), (class, referrer_host), (class, language)
    )
  )
  SELECT
    counted.dimension,
    counted.value,
    coalesce(sum(visits) FILTER (WHERE class = 0), 0)::bigint,
    coalesce(sum(visits) FILTER (WHERE class = 1), 0)::bigint,
    coalesce(sum(visits) FILTER (WHERE class = 2), 0)::bigint,
    coalesce(sum(visits) FILTER (WHERE class = 3), 0)::bigint,
    coalesce(sum(visits) FILTER (WHERE class = 4), 0)::bigint
  FROM counted
  GROUP BY counted.dimension, counted.value
$$;

-- Set when the totals job has seen a change of the hour since its hour was last folded. The folder
-- clears it before it reads the ledger, so a visit that arrives meanwhile sets it again.
ALTER TABLE fold_candidates ADD COLUMN hour_due boolean NOT NULL DEFAULT true;
CREATE INDEX fold_candidates_due ON fold_candidates (hour) WHERE hour_due;

-- Before this instant partitions of the ledger were dropped and only folds remain; no row: none was.
CREATE TABLE ledger_retention (
  singleton boolean PRIMARY KEY DEFAULT true CHECK (singleton),
  kept_from timestamptz NOT NULL
);
