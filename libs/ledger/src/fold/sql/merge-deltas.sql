-- $1 link ids, $2 hours (parallel). Adds what commits left beside the hours' folds to them; a fold that is not there
-- begins with it. Whether that is all of an hour is for the checksum to say.
WITH taken AS (
  DELETE FROM link_fold_deltas AS delta
  USING unnest($1::bigint[], $2::timestamptz[]) AS chosen (link_id, hour)
  WHERE delta.link_id = chosen.link_id AND delta.hour = chosen.hour
  RETURNING delta.*
), sums AS (
  SELECT link_id, hour, sum(visits) AS visits, bit_xor(checksum) AS checksum, max(enrichment_version) AS enrichment_version
  FROM taken GROUP BY link_id, hour
), visitors AS (
  SELECT link_id, hour, array_agg(DISTINCT visitor ORDER BY visitor) AS ids
  FROM taken CROSS JOIN LATERAL unnest(visitors) AS visitor GROUP BY link_id, hour
), ips AS (
  SELECT link_id, hour, array_agg(DISTINCT ip ORDER BY ip) AS ids
  FROM taken CROSS JOIN LATERAL unnest(ips) AS ip GROUP BY link_id, hour
), folded AS (
  INSERT INTO link_folds AS fold (
    link_id, hour, visits, checksum, visitors, ips, enrichment_version
  )
  SELECT
    sums.link_id, sums.hour, sums.visits, sums.checksum,
    coalesce(visitors.ids, '{}'), coalesce(ips.ids, '{}'), sums.enrichment_version
  FROM sums
  LEFT JOIN visitors ON visitors.link_id = sums.link_id AND visitors.hour = sums.hour
  LEFT JOIN ips ON ips.link_id = sums.link_id AND ips.hour = sums.hour
  ORDER BY sums.link_id, sums.hour
  ON CONFLICT (link_id, hour) DO UPDATE SET
    visits = fold.visits + excluded.visits, checksum = fold.checksum # excluded.checksum,
    visitors = ARRAY(SELECT unnest(fold.visitors) AS id UNION SELECT unnest(excluded.visitors) ORDER BY id),
    ips = ARRAY(SELECT unnest(fold.ips) AS id UNION SELECT unnest(excluded.ips) ORDER BY id),
    enrichment_version = greatest(fold.enrichment_version, excluded.enrichment_version), folded_at = now()
  RETURNING fold.link_id
), counted AS (
  INSERT INTO link_dimensions AS kept (
    link_id, hour, dimension, value, human, bot, preview, prefetch, opted_out
  )
  SELECT
    taken.link_id, taken.hour, added.dimension, added.value,
    sum(added.human), sum(added.bot), sum(added.preview), sum(added.prefetch), sum(added.opted_out)
  FROM taken
  CROSS JOIN LATERAL unnest(
    taken.dimensions, taken.dimension_values, taken.human, taken.bot, taken.preview, taken.prefetch, taken.opted_out
  ) AS added (dimension, value, human, bot, preview, prefetch, opted_out)
  -- The folds' rows first: whoever else writes an hour holds its row and waits for it before its values.
  WHERE (SELECT count(*) FROM folded) > 0
  GROUP BY taken.link_id, taken.hour, added.dimension, added.value
  ORDER BY taken.link_id, taken.hour, added.dimension, added.value
  ON CONFLICT (link_id, hour, dimension, value) DO UPDATE SET
    human = kept.human + excluded.human, bot = kept.bot + excluded.bot, preview = kept.preview + excluded.preview,
    prefetch = kept.prefetch + excluded.prefetch, opted_out = kept.opted_out + excluded.opted_out
)
SELECT count(*)::integer AS rows FROM taken
