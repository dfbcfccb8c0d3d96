-- $1 link ids. Adds to slot 0 of link_traffic what its slots lack of the ledger, or takes off what they have
-- too much (slot 0 may go below zero: only sums are read). One snapshot shows a concurrent commit in both or
-- in neither, and adding commutes with what it adds.
WITH scope AS (
  SELECT coalesce((SELECT kept_from FROM ledger_retention), '-infinity') AS kept_from
), kept AS (
  SELECT link_id, bucket, class, sum(visits) AS visits, bit_xor(checksum) AS checksum
  FROM link_traffic WHERE link_id = ANY ($1::bigint[]) AND bucket >= (SELECT kept_from FROM scope)
  GROUP BY 1, 2, 3
), ledger AS (
  SELECT link_id, date_bin('15 minutes', occurred_at, '2000-01-01 00:00:00+00') AS bucket, class,
    count(*) AS visits, bit_xor(event_checksum(event_id)) AS checksum
  FROM visits WHERE link_id = ANY ($1::bigint[]) AND occurred_at >= (SELECT kept_from FROM scope)
  GROUP BY 1, 2, 3
), missing AS (
  SELECT link_id, bucket, class,
    coalesce(ledger.visits, 0) - coalesce(kept.visits, 0) AS visits,
    coalesce(ledger.checksum, 0) # coalesce(kept.checksum, 0) AS checksum
  FROM kept FULL JOIN ledger USING (link_id, bucket, class)
  WHERE (coalesce(kept.visits, 0), coalesce(kept.checksum, 0)) <> (coalesce(ledger.visits, 0), coalesce(ledger.checksum, 0))
), added AS (
  INSERT INTO link_traffic AS traffic (link_id, bucket, class, slot_id, visits, checksum)
  SELECT link_id, bucket, class, 0, visits, checksum FROM missing ORDER BY 1, 2, 3
  ON CONFLICT (link_id, bucket, class, slot_id) DO UPDATE
  SET visits = traffic.visits + excluded.visits, checksum = traffic.checksum # excluded.checksum
)
SELECT link_id, bucket FROM missing
