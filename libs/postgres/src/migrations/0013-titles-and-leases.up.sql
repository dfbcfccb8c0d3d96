-- Links whose title the worker looks for (due_at), or has found (found_title): when the link has another title, that is
-- its owner's. At most one row a link; a search that found nothing leaves none.
CREATE TABLE link_titles (
  link_id     bigint PRIMARY KEY REFERENCES links ON DELETE CASCADE,
  due_at      timestamptz,
  attempts    smallint NOT NULL DEFAULT 0,
  found_title text
);
CREATE INDEX link_titles_due ON link_titles (due_at) WHERE due_at IS NOT NULL;

-- Up to which millisecond (wall clock, epoch) ids may have been made under a worker id: its next owner's begin after.
ALTER TABLE worker_leases ADD COLUMN last_ms bigint NOT NULL DEFAULT 0;
