DROP TABLE orphan_horizon, orphan_visits, dead_letter_states, operator_actions,
  lost_offsets, batch_attempts, refused_visits, source_audits, unfinished_purges, finished_purges, purged_visits,
  slot_backfill, link_fold_deltas, link_heat, link_dimensions, link_folds, fold_candidates,
  link_counts, link_totals, link_changes, ledger_incarnation, link_outbox, consumer_checkpoints, source_traffic,
  link_visit_slots, link_traffic, ledger_retention, visits, worker_leases, api_keys, link_tags,
  tags, links, domains, groups;
DROP FUNCTION keep_link_lists();
DROP FUNCTION add_to_link_counts(integer[], integer);
DROP FUNCTION ledger_dimensions(bigint, timestamptz[], timestamptz[]);
DROP FUNCTION create_visit_partitions(timestamptz, timestamptz);
DROP FUNCTION event_checksum(uuid);
DROP EXTENSION pg_trgm;
