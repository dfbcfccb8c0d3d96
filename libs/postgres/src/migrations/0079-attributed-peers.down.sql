ALTER TABLE host_peers DROP COLUMN is_attributed;
ALTER TABLE host_datacenter DROP COLUMN is_attributed;
