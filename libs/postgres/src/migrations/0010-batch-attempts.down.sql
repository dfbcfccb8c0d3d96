DROP TABLE batch_attempts;
