DELETE FROM link_tags WHERE link_id = $1
