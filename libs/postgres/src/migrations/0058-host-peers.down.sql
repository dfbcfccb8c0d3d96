DROP TRIGGER publish_added_hosts ON host_totals;
DROP TRIGGER publish_changed_hosts ON host_totals;
DROP TRIGGER publish_removed_hosts ON host_totals;
DROP FUNCTION note_unpublished_hosts();
DELETE FROM host_totals WHERE dc <> '';
DROP TABLE host_replicas, host_peers, host_unpublished, host_datacenter;
DROP SEQUENCE host_unpublished_change;
