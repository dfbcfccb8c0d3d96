-- $1 new links as JSON, $2 whether codes are loose, $3 filters that have them, $4 to $6 their tags, $7 whether titles are
-- wanted, $8 whether webhooks hear nothing: see create_links() in migration 0042.
SELECT link_id AS id, made_at AS created_at, link_version AS version, announcement,
  current_filter AS current, building_filter AS building, is_whole AS "isCurrentWhole"
FROM create_links($1, $2, $3, $4, $5, $6, $7, $8)
