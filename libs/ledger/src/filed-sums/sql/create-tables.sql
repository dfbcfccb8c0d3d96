-- filed_sums: what is said of each visit with which it was committed, by the archive's files or a month's rows. sound_buckets: those
-- that hold all that is counted and nothing else. missing_sums: what is to be added to sums of groups (scope_id) and hosts (kind).
CREATE TEMP TABLE filed_sums (
  bucket timestamptz, class smallint, group_id text COLLATE "C", target_host text COLLATE "C", short_host text COLLATE "C",
  referrer_host text COLLATE "C", visits bigint, checksum bigint
) ON COMMIT DROP;
CREATE TEMP TABLE sound_buckets (bucket timestamptz PRIMARY KEY, purge_ids bigint[]) ON COMMIT DROP;
CREATE TEMP TABLE missing_sums (
  kind smallint, name text COLLATE "C", bucket timestamptz, class smallint, visits bigint, checksum bigint
) ON COMMIT DROP
