-- $1 link (null: all), $2 how many differences at most. Visits that a finished purge or erasure should have deleted (or
-- kept out), and purged ones that are in the ledger all the same.
SELECT visit.link_id, visit.event_id, 'purged' AS expected, 'in the ledger' AS actual
FROM links AS link
JOIN visits AS visit ON visit.link_id = link.id AND visit.occurred_at < link.purged_before
WHERE link.purged_before IS NOT NULL AND ($1::bigint IS NULL OR link.id = $1)
  AND NOT EXISTS (SELECT FROM unfinished_purges AS purge WHERE purge.link_id = link.id)
UNION
SELECT visit.link_id, visit.event_id, 'purged', 'in the ledger'
FROM purged_visits AS purged
JOIN visits AS visit ON visit.occurred_at = purged.occurred_at AND visit.event_id = purged.event_id
WHERE $1::bigint IS NULL OR purged.link_id = $1
UNION
SELECT visit.link_id, visit.event_id, 'erased', 'in the ledger'
FROM erasures AS erased
JOIN visits AS visit ON visit.visitor = erased.hash AND visit.occurred_at >= erased.occurred_from AND visit.occurred_at < erased.occurred_before
WHERE erased.person = 'visitor' AND erased.erased_at IS NOT NULL AND ($1::bigint IS NULL OR visit.link_id = $1)
UNION
SELECT visit.link_id, visit.event_id, 'erased', 'in the ledger'
FROM erasures AS erased
JOIN visits AS visit ON visit.ip = erased.hash AND visit.occurred_at >= erased.occurred_from AND visit.occurred_at < erased.occurred_before
WHERE erased.person = 'ip' AND erased.erased_at IS NOT NULL AND ($1::bigint IS NULL OR visit.link_id = $1)
LIMIT $2
