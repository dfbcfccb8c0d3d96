DROP INDEX links_purged;
DROP TABLE unfinished_purges;
DROP TABLE purged_visits;
