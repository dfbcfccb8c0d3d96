DROP TABLE host_surge_search, host_surges, host_alerts;
