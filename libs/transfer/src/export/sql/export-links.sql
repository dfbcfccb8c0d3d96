-- A line of JSON for each link: the ShortUrl of the API, then its rules and split. JSON has no control characters, so
-- with these as quote and delimiter COPY writes it as it is. Not the text's: the scheme, the counters and the reach.
COPY (
  SELECT row_to_json(exported) FROM (
    SELECT
      'http' || '://' || domains.authority || '/' || links.code AS "shortUrl",
      links.code AS "shortCode",
      links.long_url AS "longUrl",
      to_char(links.created_at, 'YYYY-MM-DD"T"HH24:MI:SS"+00:00"') AS "dateCreated",
      array_to_json(ARRAY(
        SELECT tags.name FROM link_tags JOIN tags ON tags.id = link_tags.tag_id
        WHERE link_tags.link_id = links.id ORDER BY link_tags.position
      )) AS tags,
      json_build_object(
        'validSince', to_char(links.valid_since, 'YYYY-MM-DD"T"HH24:MI:SS"+00:00"'),
        'validUntil', to_char(links.valid_until, 'YYYY-MM-DD"T"HH24:MI:SS"+00:00"'),
        'maxVisits', links.max_visits
      ) AS meta,
      CASE WHEN domains.is_default THEN NULL ELSE domains.authority END AS domain,
      links.title,
      links.crawlable,
      links.forward_query AS "forwardQuery",
      json_build_object('total', non_bots + bots, 'nonBots', non_bots, 'bots', bots) AS "visitsSummary",
      links.redirect_rules IS NOT NULL AS "hasRedirectRules",
      links.warn,
      links.password_hash IS NOT NULL AS "hasPassword",
      links.id::text AS id,
      links.group_id AS "groupId",
      links.disabled,
      links.expired_url AS "expiredUrl",
      links.extra_path AS "extraPath",
      coalesce(links.redirect_status, 302) AS "redirectStatus",
      links.note,
      coalesce(links.redirect_rules, '[]') AS "redirectRules",
      coalesce(links.split, '[]') AS split
    FROM links
    JOIN domains ON domains.id = links.domain_id
    CROSS JOIN LATERAL (
      SELECT coalesce(sum(visits) FILTER (WHERE NOT potential_bot), 0) AS non_bots,
        coalesce(sum(visits) FILTER (WHERE potential_bot), 0) AS bots
      FROM link_visit_slots AS counted WHERE counted.link_id = links.id
    ) AS totals
    WHERE links.deleted_at IS NULL AND within_reach(links.author_key_id, links.domain_id, links.group_id, /* reach */)
    ORDER BY links.id
  ) AS exported
) TO STDOUT (FORMAT csv, QUOTE E'\x01', DELIMITER E'\x02')
