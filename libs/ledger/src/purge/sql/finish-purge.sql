-- $1 link, $2 instant. Not if a later purge of the link began meanwhile: it is its own.
DELETE FROM unfinished_purges WHERE link_id = $1 AND purged_before = $2::timestamptz
