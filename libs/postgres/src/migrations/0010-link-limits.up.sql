-- How often a link with a limit (links.max_visits) was used; PostgreSQL alone decides who may still follow it. A row stays
-- when the limit is removed, so that one set again knows what happened meanwhile.
-- At every moment: used = visits in link_traffic + purged - apart + open uses.
CREATE TABLE link_limits (
  link_id  bigint PRIMARY KEY,
  max_uses integer,                        -- links.max_visits; null: no limit now
  used     bigint NOT NULL DEFAULT 0,      -- visits so far, and uses whose visit is on its way
  late     bigint NOT NULL DEFAULT 0,      -- of these, visits without a use: of gateways that did not know of the limit yet
  apart    bigint NOT NULL DEFAULT 0,      -- visits that take no use: sent to the target after the end
  purged   bigint NOT NULL DEFAULT 0,      -- uses whose visits were purged: they stay used
  is_based boolean NOT NULL DEFAULT false  -- whether visits from before this row are in `used`
) WITH (fillfactor = 50);

-- Uses that were taken and whose visit is not counted yet: a row goes in the transaction that counts the visit, or when
-- the use is given back.
CREATE TABLE link_uses (
  event_id uuid PRIMARY KEY,               -- of the visit
  link_id  bigint NOT NULL,
  source   text NOT NULL COLLATE "C",      -- gateway process that took it
  spool    uuid NOT NULL,                  -- SPOOL_DIR in which that process may have left the visit
  taken_at timestamptz NOT NULL DEFAULT now(),
  ended_at timestamptz                     -- from then on nobody publishes the visit: if it is not in Kafka, it never will be
);
CREATE INDEX link_uses_ended ON link_uses (ended_at) WHERE ended_at IS NOT NULL;
CREATE INDEX link_uses_open ON link_uses (spool, source) WHERE ended_at IS NULL;
CREATE INDEX link_uses_by_link ON link_uses (link_id);

-- In the transaction that sets, changes or removes a limit. Of a link that had visits before it had a row here, this adds
-- them up: whoever sets the first limit has written the row before and has waited for all commits that may not have seen
-- it. Each statement has a snapshot of its own, so the sum is of after the row is locked: a commit that counts as late what
-- this sum does not show waits for the lock.
CREATE FUNCTION keep_link_limit() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO link_limits (link_id, is_based) VALUES (NEW.id, TG_OP = 'INSERT') ON CONFLICT DO NOTHING;
  PERFORM FROM link_limits WHERE link_id = NEW.id FOR UPDATE;
  UPDATE link_limits
  SET used = (SELECT coalesce(sum(visits), 0) FROM link_traffic WHERE link_id = NEW.id)
      + (SELECT count(*) FROM link_uses WHERE link_id = NEW.id),
    late = 0, apart = 0, purged = 0, is_based = true
  WHERE link_id = NEW.id AND NOT is_based;
  UPDATE link_limits SET max_uses = NEW.max_visits WHERE link_id = NEW.id;
  RETURN NULL;
END
$$;
CREATE TRIGGER links_created_with_limit AFTER INSERT ON links
FOR EACH ROW WHEN (NEW.max_visits IS NOT NULL) EXECUTE FUNCTION keep_link_limit();
CREATE TRIGGER links_limit_changed AFTER UPDATE OF max_visits ON links
FOR EACH ROW WHEN (NEW.max_visits IS DISTINCT FROM OLD.max_visits) EXECUTE FUNCTION keep_link_limit();

INSERT INTO link_limits (link_id, max_uses, used, is_based)
SELECT id, max_visits, coalesce((SELECT sum(visits) FROM link_traffic WHERE link_id = links.id), 0), true
FROM links WHERE max_visits IS NOT NULL;
