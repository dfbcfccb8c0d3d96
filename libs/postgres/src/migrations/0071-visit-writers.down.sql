DROP TABLE visit_writers;
