-- What a session was begun with, so that its user can tell it from others. null: from before, or none was sent.
ALTER TABLE sessions ADD COLUMN user_agent text;

-- Of a view of one tag, whatever it is called by now: another that gets its name is another. null: of no tag, or from before.
ALTER TABLE share_links ADD COLUMN tag_id integer CONSTRAINT share_links_tag_id_fkey REFERENCES tags ON DELETE CASCADE;
CREATE INDEX share_links_of_tag ON share_links (tag_id) WHERE tag_id IS NOT NULL;
UPDATE share_links SET tag_id = tags.id FROM tags WHERE tags.name = view ->> 'tag';
