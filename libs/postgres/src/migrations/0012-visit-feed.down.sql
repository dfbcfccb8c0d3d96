DROP TABLE visit_feed, visit_feed_state;
