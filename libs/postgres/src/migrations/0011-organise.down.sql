DROP TRIGGER totals_created ON link_totals;
DROP TRIGGER totals_deleted ON link_totals;
DROP TRIGGER totals_changed ON link_totals;
DROP TRIGGER links_tagged ON link_tags;
DROP TRIGGER links_untagged ON link_tags;
DROP FUNCTION keep_totals_of_tags(), keep_totals_of_tagged();
DROP TABLE tag_totals, tag_changes;
DROP INDEX links_by_group;
ALTER TABLE groups DROP COLUMN position;
DELETE FROM link_outbox WHERE link_id IS NULL;
ALTER TABLE link_outbox DROP COLUMN domain_id, ALTER COLUMN link_id SET NOT NULL;
ALTER TABLE domains
  DROP COLUMN base_url_redirect, DROP COLUMN regular_404_redirect, DROP COLUMN invalid_short_url_redirect;
