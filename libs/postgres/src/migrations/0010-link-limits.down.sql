DROP TRIGGER links_limit_changed ON links;
DROP TRIGGER links_created_with_limit ON links;
DROP FUNCTION keep_link_limit;
DROP TABLE link_uses;
DROP TABLE link_limits;
