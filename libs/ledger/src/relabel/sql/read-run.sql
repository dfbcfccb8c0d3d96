-- The open run. Its range as milliseconds; how far it came as text, which loses nothing. What files move counts where no ledger has it.
SELECT id::text AS id, range_from AS "from", range_to AS "to", rules, kept_from::text AS "keptFrom",
  read_to_time::text AS "readToTime", read_to_id::text AS "readToId", visits::float8 AS visits,
  (SELECT count(*) FROM relabel_visits)::float8 + (
    SELECT count(*) FROM relabel_moves WHERE bucket < (SELECT kept_from FROM ledger_retention)
  )::float8 AS staged
FROM relabels WHERE ended_at IS NULL
