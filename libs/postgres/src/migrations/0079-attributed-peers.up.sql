-- Whether sums by host of all time are without what was purged of dropped months (see 0078): the own ones as of folded_to, those of a peer as of
-- as_of. What a peer of an earlier version said does not tell, so until it says more no sum with it is exact.
ALTER TABLE host_datacenter ADD COLUMN is_attributed boolean NOT NULL DEFAULT false;
ALTER TABLE host_peers ADD COLUMN is_attributed boolean NOT NULL DEFAULT true;
UPDATE host_peers SET is_attributed = false WHERE as_of IS NOT NULL;
