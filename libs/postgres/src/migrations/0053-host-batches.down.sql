DROP TABLE host_feed_ended, host_feed, host_batches;
