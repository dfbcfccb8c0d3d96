DROP INDEX links_by_folded_code;
