-- $1 time: all that was committed before it is in the totals; $2 whether they are without all that was purged by then. Of use to peers alone; nobody waits for it.
UPDATE host_datacenter SET folded_to = $1::timestamptz, is_attributed = $2
WHERE singleton IN (SELECT singleton FROM host_datacenter WHERE folded_to IS NULL OR folded_to < $1::timestamptz FOR UPDATE SKIP LOCKED)
