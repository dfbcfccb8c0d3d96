-- $1 links of the batch, $2 its visits and $3 the link of each (imported ones are nothing to follow). Nobody follows them: the feed has no row.
WITH fed AS (
  INSERT INTO visit_feed (event_ids, link_ids)
  SELECT $2::uuid[], $3::bigint[] FROM visit_feed_state WHERE wanted_until > now() AND cardinality($2::uuid[]) > 0
)
INSERT INTO link_changes (link_ids) VALUES ($1::bigint[])
