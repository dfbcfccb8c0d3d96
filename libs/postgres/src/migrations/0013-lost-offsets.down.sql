DROP TABLE lost_offsets;
