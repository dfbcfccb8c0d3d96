-- $1 link, $2 hour. Adds what commits left beside the hour's fold to it; a fold that is not there begins
-- with it. Whether that is all of the hour is for the checksum to say.
WITH taken AS (
  DELETE FROM link_fold_deltas WHERE link_id = $1 AND hour = $2::timestamptz RETURNING *
), folded AS (
  INSERT INTO link_folds AS fold (
    link_id, hour, visits, checksum, visitors, ips, enrichment_version
  )
  SELECT
    $1, $2::timestamptz, sum(visits), bit_xor(checksum),
    ARRAY(SELECT DISTINCT visitor FROM taken CROSS JOIN LATERAL unnest(visitors) AS visitor ORDER BY visitor),
    ARRAY(SELECT DISTINCT ip FROM taken CROSS JOIN LATERAL unnest(ips) AS ip ORDER BY ip),
    max(enrichment_version)
  FROM taken
  HAVING count(*) > 0
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
    $1, $2::timestamptz, added.dimension, added.value,
    sum(added.human), sum(added.bot), sum(added.preview), sum(added.prefetch), sum(added.opted_out)
  FROM taken
  CROSS JOIN LATERAL unnest(
    taken.dimensions, taken.dimension_values, taken.human, taken.bot, taken.preview, taken.prefetch, taken.opted_out
  ) AS added (dimension, value, human, bot, preview, prefetch, opted_out)
  -- The fold's row first: whoever else writes the unit holds it and waits for it before its values.
  WHERE (SELECT count(*) FROM folded) = 1
  GROUP BY added.dimension, added.value
  ORDER BY added.dimension, added.value
  ON CONFLICT (link_id, hour, dimension, value) DO UPDATE SET
    human = kept.human + excluded.human, bot = kept.bot + excluded.bot, preview = kept.preview + excluded.preview,
    prefetch = kept.prefetch + excluded.prefetch, opted_out = kept.opted_out + excluded.opted_out
)
SELECT count(*)::integer AS rows FROM taken
