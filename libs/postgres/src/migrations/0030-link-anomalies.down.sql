DROP TABLE link_anomalies, anomaly_search;
