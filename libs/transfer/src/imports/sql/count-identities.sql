-- $1 import, $2 identities of a chunk's visits (each once), $3 how often each comes in it. How often it came so far.
INSERT INTO import_identities AS met (import_id, identity, seen)
SELECT $1, identity, seen FROM unnest($2::uuid[], $3::integer[]) AS chunk (identity, seen) ORDER BY identity
ON CONFLICT (import_id, identity) DO UPDATE SET seen = met.seen + excluded.seen
RETURNING identity, seen
