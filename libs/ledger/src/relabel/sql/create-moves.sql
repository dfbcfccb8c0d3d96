-- What goes from class to class in this transaction.
CREATE TEMP TABLE moves (
  link_id bigint, bucket timestamptz, group_id text COLLATE "C", from_class smallint, class smallint, visits bigint, checksum bigint,
  target_host text COLLATE "C", short_host text COLLATE "C", referrer_host text COLLATE "C"
) ON COMMIT DROP
