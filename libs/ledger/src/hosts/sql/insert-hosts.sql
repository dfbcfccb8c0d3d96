-- Parallel arrays: $1 kind, $2 name, $3 children, $4 name of the parent (null: none), which is there.
INSERT INTO hosts (kind, name, parent_id, children)
SELECT new.kind, new.name, parent.id, new.children
FROM unnest($1::smallint[], $2::text[], $3::integer[], $4::text[]) AS new (kind, name, children, parent)
LEFT JOIN hosts AS parent ON parent.kind = new.kind AND parent.name = new.parent
ORDER BY new.kind, new.name
