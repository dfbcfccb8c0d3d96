SELECT state, count(*)::float8 AS files, coalesce(sum(visits), 0)::float8 AS visits, coalesce(sum(bytes), 0)::float8 AS bytes
FROM archive_files
WHERE deleted_at IS NULL
GROUP BY state
