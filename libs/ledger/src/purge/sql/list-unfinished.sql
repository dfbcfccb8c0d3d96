-- $1 seconds since the last sign of life, $2 how many at most. The instant as text: microseconds matter.
SELECT link_id, purged_before::text AS purged_before FROM unfinished_purges
WHERE started_at < now() - make_interval(secs => $1)
ORDER BY started_at
LIMIT $2
