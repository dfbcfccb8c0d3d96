-- $1 seconds for which a finished purge is looked at. Folds that a folder with an older snapshot wrote just after a purge removed them. Nobody reads them (their
-- checksum does not hold), but where nothing is left of an hour, nobody would fold it anew either.
WITH forgotten AS (
  DELETE FROM finished_purges WHERE finished_at < now() - make_interval(secs => $1)
)
DELETE FROM link_folds AS fold
USING finished_purges AS purge
JOIN links AS link ON link.id = purge.link_id
WHERE fold.link_id = link.id AND fold.hour < link.purged_before
  AND NOT EXISTS (
    SELECT FROM link_traffic AS traffic
    WHERE traffic.link_id = fold.link_id AND traffic.bucket >= fold.hour
      AND traffic.bucket < fold.hour + interval '1 hour'
    HAVING sum(traffic.visits) = fold.visits AND bit_xor(traffic.checksum) = fold.checksum
  )
