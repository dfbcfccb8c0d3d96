DROP INDEX orphan_visits_by_class;
CREATE INDEX orphan_visits_by_class ON orphan_visits (class);
DROP TABLE block_list, blocks;
