-- $1 id, $2 authority, $3 code, $4 long URL, $5 title, $6 group. No row: the code or the id is taken.
WITH created AS (
  INSERT INTO links (id, domain_id, code, long_url, title, group_id)
  SELECT $1::bigint, domains.id, $3::text, $4::text, $5::text, $6::text
  FROM domains
  WHERE domains.authority = $2
  ON CONFLICT DO NOTHING
  RETURNING id, created_at, version
), announced AS (
  INSERT INTO link_outbox (link_id) SELECT id FROM created
)
SELECT created_at, version FROM created
