-- robots.txt names the crawlable links of a domain, newest first.
CREATE INDEX links_crawlable ON links (domain_id, id) WHERE crawlable AND deleted_at IS NULL;
