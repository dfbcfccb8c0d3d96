DROP INDEX links_crawlable;
