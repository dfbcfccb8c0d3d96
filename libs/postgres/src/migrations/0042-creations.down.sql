ALTER INDEX links_by_text RESET (gin_pending_list_limit);
DROP FUNCTION create_links(jsonb, boolean, text, bigint[], text[], smallint[], boolean, boolean);
DROP FUNCTION tag_links(bigint[], text[], smallint[]);
