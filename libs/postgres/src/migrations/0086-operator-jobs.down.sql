DROP TABLE operator_jobs;
