DROP INDEX source_traffic_by_minute;
CREATE INDEX source_audits_by_minute ON source_audits (minute);
DROP INDEX source_audits_uncounted;
