DROP TABLE statistics_repairs;
DROP TABLE link_fold_deltas;
DROP TABLE link_heat;
