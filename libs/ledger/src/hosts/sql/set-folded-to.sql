-- $1 time: all that was committed before it is in the totals. Of use to peers alone; nobody waits for it.
UPDATE host_datacenter SET folded_to = $1::timestamptz
WHERE singleton IN (SELECT singleton FROM host_datacenter WHERE folded_to IS NULL OR folded_to < $1::timestamptz FOR UPDATE SKIP LOCKED)
