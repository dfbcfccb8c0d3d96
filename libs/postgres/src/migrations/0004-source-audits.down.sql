DROP TABLE refused_visits, source_audits;
