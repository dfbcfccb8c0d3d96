SELECT links.id, links.code, domains.authority, domains.is_default, links.long_url, links.title, links.note,
  links.group_id, links.author_key_id, links.created_at, links.version, links.valid_since, links.valid_until, links.max_visits, links.expired_url,
  links.disabled, links.forward_query, links.extra_path, links.redirect_status, links.crawlable, links.warn,
  links.redirect_rules IS NOT NULL AS has_redirect_rules, links.password_hash IS NOT NULL AS has_password,
  ARRAY(
    SELECT tags.name FROM link_tags JOIN tags ON tags.id = link_tags.tag_id
    WHERE link_tags.link_id = links.id ORDER BY link_tags.position
  ) AS tags
FROM links
JOIN domains ON domains.id = links.domain_id
