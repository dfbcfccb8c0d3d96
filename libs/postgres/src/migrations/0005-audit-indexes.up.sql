-- Statistics ask for what is not counted in a range, and nearly every minute has none of it.
CREATE INDEX source_audits_uncounted ON source_audits (minute) WHERE answered > 0 OR missing <> 0;
DROP INDEX source_audits_by_minute;
-- The reconciler looks at the last days only, every few seconds.
CREATE INDEX source_traffic_by_minute ON source_traffic USING brin (minute);
