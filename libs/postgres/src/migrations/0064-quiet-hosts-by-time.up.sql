-- For who looks for a time: rebuilds ask day by day, reports by month, mostly for a time that few quiet hosts had visits in.
CREATE INDEX quiet_host_traffic_by_time ON quiet_host_traffic (last_bucket, first_bucket);
