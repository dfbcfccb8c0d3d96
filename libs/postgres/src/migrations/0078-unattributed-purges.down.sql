DROP TABLE unattributed_purges;
