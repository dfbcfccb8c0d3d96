DROP TABLE doubted_sums;
