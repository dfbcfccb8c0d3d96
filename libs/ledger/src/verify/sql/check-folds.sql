-- $1/$2 keys of folds (parallel). Those whose count, checksum or sets are not the ledger's.
SELECT fold.link_id, fold.hour,
  jsonb_build_object('visits', ledger.visits, 'checksum', ledger.checksum::text,
    'visitors', cardinality(ledger.visitors), 'ips', cardinality(ledger.ips),
    'sets', md5(ledger.visitors::text || ledger.ips::text)) AS expected,
  jsonb_build_object('visits', fold.visits, 'checksum', fold.checksum::text,
    'visitors', cardinality(fold.visitors), 'ips', cardinality(fold.ips),
    'sets', md5(fold.visitors::text || fold.ips::text)) AS actual
FROM unnest($1::bigint[], $2::timestamptz[]) AS chosen (link_id, hour)
JOIN link_folds AS fold ON fold.link_id = chosen.link_id AND fold.hour = chosen.hour
CROSS JOIN LATERAL (
  SELECT count(*) AS visits, bit_xor(event_checksum(visit.event_id)) AS checksum,
    coalesce(array_agg(DISTINCT visit.visitor ORDER BY visit.visitor) FILTER (WHERE visit.visitor IS NOT NULL), '{}') AS visitors,
    coalesce(array_agg(DISTINCT visit.ip ORDER BY visit.ip) FILTER (WHERE visit.ip IS NOT NULL), '{}') AS ips
  FROM visits AS visit
  WHERE visit.link_id = fold.link_id AND visit.occurred_at >= fold.hour
    AND visit.occurred_at < fold.hour + interval '1 hour'
) AS ledger
WHERE (fold.visits, fold.checksum, fold.visitors, fold.ips)
  IS DISTINCT FROM (ledger.visits, ledger.checksum, ledger.visitors, ledger.ips)
