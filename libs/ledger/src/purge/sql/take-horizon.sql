-- A transaction id handed out after the mark was committed: whoever has a later one sees the mark.
SELECT pg_current_xact_id()::text AS horizon
