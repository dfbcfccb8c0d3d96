DROP TABLE day_aggregate_dimensions, day_aggregates, scope_traffic;
