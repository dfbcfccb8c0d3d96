-- Parallel arrays: source, minute, sequence, visits, checksum, answered, refused, in_doubt, final.
-- One about a minute whose ledger was dropped comes too late to be held against anything. A report read again changes nothing; a newer one is to be held against the counts anew.
INSERT INTO source_audits AS audit (source, minute, sequence, visits, checksum, answered, refused, in_doubt, final)
SELECT * FROM unnest(
  $1::text[], $2::timestamptz[], $3::integer[], $4::bigint[], $5::bigint[], $6::bigint[], $7::bigint[],
  $8::bigint[], $9::boolean[]
) AS report (source, minute, sequence, visits, checksum, answered, refused, in_doubt, final)
WHERE minute >= coalesce((SELECT greatest(kept_from, audited_from) FROM ledger_retention), '-infinity')
ON CONFLICT (source, minute) DO UPDATE
SET sequence = excluded.sequence, visits = excluded.visits, checksum = excluded.checksum,
    answered = excluded.answered, refused = excluded.refused, in_doubt = excluded.in_doubt,
    final = excluded.final, received_at = now(), status = NULL, missing = 0
WHERE excluded.sequence > audit.sequence
