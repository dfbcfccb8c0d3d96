-- A purge takes whole buckets of dropped months as they are, or has taken them; files lose what is in them later.
DELETE FROM moves USING links
WHERE links.id = moves.link_id AND moves.bucket < (SELECT kept_from FROM ledger_retention)
  AND moves.bucket + interval '15 minutes' <= links.purged_before
