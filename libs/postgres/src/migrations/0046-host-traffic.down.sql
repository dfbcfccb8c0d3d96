ALTER TABLE relabel_moves DROP COLUMN target_host, DROP COLUMN short_host, DROP COLUMN referrer_host;
DROP TRIGGER without_hosts ON visits;
DROP FUNCTION count_unknown_hosts();
DROP TABLE host_totals, host_traffic, host_changes, hosts;
DROP FUNCTION visit_hosts(text, text, text), host_place(integer, text), host_parent(text), host_name(text);
