DROP TRIGGER links_filtered ON links;
DROP TRIGGER links_filtered_anew ON links;
DROP FUNCTION note_link_filter_gap();
DROP FUNCTION share_link_filter();
DROP FUNCTION believed_link_filter();
DROP TABLE link_filter_gaps;
DROP TABLE link_filter;
