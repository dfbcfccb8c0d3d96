-- $1 codes. Two transactions that are about to insert codes which differ in case only: the second waits here for the first's
-- COMMIT. Fewer locks than a transaction may hold, in one order.
SELECT pg_advisory_xact_lock(hashtext('hopcount-loose-codes'), lock)
FROM (
  SELECT DISTINCT hashtext(lower(code COLLATE "C")) & 255 AS lock FROM unnest($1::text[]) AS code ORDER BY lock
) AS locks
