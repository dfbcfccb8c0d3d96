SELECT count(*) AS waiting FROM link_changes
