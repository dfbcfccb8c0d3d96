-- $1 occurred_at[], $2 link_id[]: how many of these visits a purge keeps out of the ledger.
SELECT count(*)::integer AS purged
FROM unnest($1::timestamptz[], $2::bigint[]) AS visit (occurred_at, link_id)
JOIN links AS link ON link.id = visit.link_id AND visit.occurred_at < link.purged_before
