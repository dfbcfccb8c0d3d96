SELECT links.id, links.code, domains.authority, domains.is_default, links.long_url, links.title, links.group_id,
  links.created_at, links.version,
  ARRAY(
    SELECT tags.name FROM link_tags JOIN tags ON tags.id = link_tags.tag_id
    WHERE link_tags.link_id = links.id ORDER BY link_tags.position
  ) AS tags
FROM links
JOIN domains ON domains.id = links.domain_id
