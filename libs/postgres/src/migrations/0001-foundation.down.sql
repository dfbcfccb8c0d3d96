DROP TABLE link_dimensions, link_folds, fold_candidates, link_totals, link_changes, ledger_incarnation,
  consumer_checkpoints, source_traffic, link_visit_slots, link_traffic, visits, worker_leases, api_keys,
  link_tags, tags, links, domains, groups;
DROP FUNCTION create_visit_partitions(timestamptz, timestamptz);
DROP FUNCTION event_checksum(uuid);
