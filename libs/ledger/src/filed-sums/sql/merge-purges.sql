-- Of each bucket and class one note is enough. A settlement that knew the old ones by their ids leaves the new one, for the next.
WITH gone AS (
  DELETE FROM unattributed_purges
  WHERE (bucket, class) IN (SELECT bucket, class FROM unattributed_purges GROUP BY bucket, class HAVING count(*) > 1)
  RETURNING bucket, class, visits, checksum
)
INSERT INTO unattributed_purges (bucket, class, visits, checksum)
SELECT bucket, class, sum(visits), bit_xor(checksum) FROM gone GROUP BY 1, 2
