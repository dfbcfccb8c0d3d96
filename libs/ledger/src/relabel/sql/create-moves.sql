-- What goes from class to class in this transaction.
CREATE TEMP TABLE moves (
  link_id bigint, bucket timestamptz, group_id text COLLATE "C", from_class smallint, class smallint, visits bigint, checksum bigint
) ON COMMIT DROP
