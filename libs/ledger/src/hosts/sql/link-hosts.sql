-- Parallel arrays: $1 names just added, $2 the parent of each (null: none).
WITH new AS (
  SELECT name COLLATE "C" AS name, parent COLLATE "C" AS parent FROM unnest($1::text[], $2::text[]) AS host (name, parent)
), linked AS (
  SELECT new.name, parent.id AS parent_id, (SELECT count(*) FROM new AS child WHERE child.parent = new.name) AS children
  FROM new LEFT JOIN hosts AS parent ON parent.name = new.parent
), others AS (
  UPDATE hosts SET children = hosts.children + added.children
  FROM (
    SELECT parent, count(*) AS children FROM new
    WHERE parent IS NOT NULL AND NOT EXISTS (SELECT FROM new AS own WHERE own.name = new.parent)
    GROUP BY parent
  ) AS added
  WHERE hosts.name = added.parent
)
UPDATE hosts SET parent_id = linked.parent_id, children = linked.children FROM linked WHERE hosts.name = linked.name
