ALTER TABLE share_links DROP COLUMN tag_id;
ALTER TABLE sessions DROP COLUMN user_agent;
