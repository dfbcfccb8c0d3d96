-- $1 links, $2 group they must be in (null: any, and they must not be deleted), $3 group they get (null: none),
-- $4 to $6 reach. A row for each that was in another one; held in the order of their ids, so that two moves cannot wait for each other.
WITH held AS (
  SELECT id FROM links
  WHERE id = ANY ($1::bigint[]) AND group_id IS DISTINCT FROM $3
    AND within_reach(author_key_id, domain_id, group_id, $4, $5, $6)
    AND CASE WHEN $2::text IS NULL THEN deleted_at IS NULL ELSE group_id = $2 END
  ORDER BY id
  FOR NO KEY UPDATE
), moved AS (
  UPDATE links
  SET group_id = $3, version = version + 1, updated_at = now()
  FROM held
  WHERE links.id = held.id
  RETURNING links.id
)
INSERT INTO link_outbox (link_id) SELECT id FROM moved RETURNING link_id
