-- $1 epoch, $2 of how many hosts. Notes their totals as unpublished: those of the next hosts that were not noted since the epoch began. Nothing: all are.
WITH own AS MATERIALIZED (
  SELECT marked_host FROM host_datacenter WHERE epoch = $1 AND NOT is_whole FOR UPDATE
), upto AS MATERIALIZED (
  SELECT max(id) AS id FROM (SELECT id FROM hosts WHERE id > (SELECT marked_host FROM own) ORDER BY id LIMIT $2) AS next
), noted AS (
  INSERT INTO host_unpublished (host_id, class)
  SELECT host_id, class FROM own, upto, host_totals
  WHERE dc = '' AND host_id > own.marked_host AND host_id <= upto.id ORDER BY 1, 2
  ON CONFLICT (host_id, class) DO UPDATE SET change = excluded.change
)
UPDATE host_datacenter SET marked_host = upto.id FROM upto WHERE upto.id IS NOT NULL RETURNING marked_host
