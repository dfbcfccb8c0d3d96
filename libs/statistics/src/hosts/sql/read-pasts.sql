-- Parallel arrays $1 kind and $2 name; $3 buckets that are asked for, $4 names below one at most. By place in the arrays: since when the
-- name or one below it is counted, visits by bucket (with what is not folded), and when one of them surged. Times in ms.
WITH wanted AS MATERIALIZED (
  SELECT kind, name COLLATE "C" AS name, place::integer AS place
  FROM unnest($1::smallint[], $2::text[]) WITH ORDINALITY AS host (kind, name, place)
), part AS MATERIALIZED (
  SELECT wanted.place, wanted.kind, host.id
  FROM wanted
  CROSS JOIN LATERAL (
    (SELECT id FROM hosts WHERE hosts.kind = wanted.kind AND hosts.name = wanted.name)
    UNION ALL
    (
      SELECT id FROM hosts
      WHERE hosts.kind = wanted.kind AND hosts.name > wanted.name || '.' AND hosts.name < wanted.name || '/' LIMIT $4
    )
  ) AS host
), counted AS (
  SELECT part.place, traffic.bucket, traffic.p - traffic.n AS visits
  FROM part
  JOIN host_traffic AS traffic ON traffic.kind = part.kind AND traffic.host_id = part.id AND traffic.bucket = ANY ($3::timestamptz[])
  UNION ALL
  SELECT part.place, quiet.bucket, quiet.p - quiet.n
  FROM part
  JOIN quiet_host_buckets AS quiet ON quiet.host_id = part.id AND quiet.bucket = ANY ($3::timestamptz[])
    AND quiet.last_bucket >= (SELECT min(bucket) FROM unnest($3::timestamptz[]) AS asked (bucket))
  UNION ALL
  SELECT wanted.place, to_timestamp(change.cell / 90 * 900), change.p - change.n
  FROM host_changes
  CROSS JOIN unnest(kinds, hosts, cells, p, n) AS change (kind, host, cell, p, n)
  JOIN wanted ON wanted.kind = change.kind
    AND (change.host = wanted.name OR change.host > wanted.name || '.' AND change.host < wanted.name || '/')
  WHERE folded_at IS NULL AND to_timestamp(change.cell / 90 * 900) = ANY ($3::timestamptz[])
), buckets AS (
  SELECT place, json_agg(json_build_array(extract(epoch FROM bucket) * 1000, visits)) AS visits
  FROM (SELECT place, bucket, sum(visits) AS visits FROM counted GROUP BY 1, 2) AS sums
  GROUP BY place
), firsts AS (
  SELECT part.place, extract(epoch FROM min(first.bucket))::float8 * 1000 AS since
  FROM part
  CROSS JOIN LATERAL (
    (SELECT bucket FROM host_traffic WHERE kind = part.kind AND host_id = part.id ORDER BY bucket LIMIT 1)
    UNION ALL
    SELECT first_bucket FROM quiet_host_traffic WHERE host_id = part.id
  ) AS first
  GROUP BY part.place
), surged AS (
  SELECT wanted.place,
    json_agg(json_build_array(extract(epoch FROM opened.at) * 1000, extract(epoch FROM closed.at) * 1000)) AS spans
  FROM wanted
  JOIN host_alerts AS opened ON opened.kind = wanted.kind AND opened.alert_id IS NULL
    AND (opened.host = wanted.name OR opened.host > wanted.name || '.' AND opened.host < wanted.name || '/')
    AND opened.at > (SELECT min(bucket) FROM unnest($3::timestamptz[]) AS asked (bucket)) - interval '2 days'
  LEFT JOIN host_alerts AS closed ON closed.alert_id = opened.id AND closed.what = 'closed'
  WHERE closed.reason IS DISTINCT FROM 'lasting'
  GROUP BY wanted.place
)
SELECT wanted.place, firsts.since, coalesce(buckets.visits, '[]') AS buckets, coalesce(surged.spans, '[]') AS surges
FROM wanted
LEFT JOIN firsts USING (place)
LEFT JOIN buckets USING (place)
LEFT JOIN surged USING (place)
