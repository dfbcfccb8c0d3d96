-- $1 link, $2 hours of folds, $3/$4 ledger ranges. A row per dimension: its values and their visits (parallel).
-- JSON, because tens of thousands of rows cost the driver more than PostgreSQL; float8, because it adds up
-- faster than bigint (exact up to 2^53). Visits of the ledger are counted here as ledger_dimensions() does, whose statement
-- PostgreSQL would plan again each time: that takes longer than the rest.
SELECT counted.dimension, json_agg(counted.value) AS values, json_agg(counted.visits) AS visits
FROM (
  SELECT source.dimension, source.value, sum(source.visits) AS visits
  FROM (
    SELECT dimension, value, (human + bot + preview + prefetch + opted_out)::float8 AS visits
    FROM link_dimensions
    WHERE link_id = $1 AND hour = ANY ($2::timestamptz[])
    UNION ALL
    SELECT added.dimension, added.value,
      (added.human + added.bot + added.preview + added.prefetch + added.opted_out)::float8
    FROM link_fold_deltas AS delta
    CROSS JOIN LATERAL unnest(
      delta.dimensions, delta.dimension_values, delta.human, delta.bot, delta.preview, delta.prefetch, delta.opted_out
    ) AS added (dimension, value, human, bot, preview, prefetch, opted_out)
    WHERE delta.link_id = $1 AND delta.hour = ANY ($2::timestamptz[])
    UNION ALL
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
      END,
      coalesce(
        visit.country, visit.region, visit.city, visit.os, visit.browser, visit.device, visit.network,
        visit.referrer_host, visit.language
      ),
      count(*)::float8
    FROM (
      SELECT
        ledger.country, ledger.os, ledger.browser, ledger.device, ledger.network, ledger.referrer_host, ledger.language,
        CASE WHEN ledger.region = 'unknown' OR ledger.country = 'unknown' THEN ledger.region
          ELSE ledger.region || ', ' || ledger.country END AS region,
        CASE WHEN ledger.city = 'unknown' OR ledger.country = 'unknown' THEN ledger.city
          ELSE ledger.city || ', ' || ledger.country END AS city
      FROM unnest($3::timestamptz[], $4::timestamptz[]) AS span (from_time, to_time)
      -- OFFSET 0 keeps the planner from reading all of the link's visits and sifting them by range after.
      CROSS JOIN LATERAL (
        SELECT country, region, city, os, browser, device, network, referrer_host, language FROM visits
        WHERE link_id = $1 AND occurred_at >= span.from_time AND occurred_at < span.to_time
        OFFSET 0
      ) AS ledger
    ) AS visit
    GROUP BY GROUPING SETS (
      (visit.country), (visit.region), (visit.city), (visit.os), (visit.browser), (visit.device), (visit.network),
      (visit.referrer_host), (visit.language)
    )
  ) AS source
  GROUP BY source.dimension, source.value
) AS counted
GROUP BY counted.dimension
