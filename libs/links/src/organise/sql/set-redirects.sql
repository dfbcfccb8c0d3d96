-- $1 authority (null: the default domain), $2 the fields that were given, as the API calls them; others stay.
WITH changed AS (
  UPDATE domains
  SET base_url_redirect = CASE WHEN given ? 'baseUrlRedirect' THEN given ->> 'baseUrlRedirect' ELSE base_url_redirect END,
    regular_404_redirect =
      CASE WHEN given ? 'regular404Redirect' THEN given ->> 'regular404Redirect' ELSE regular_404_redirect END,
    invalid_short_url_redirect =
      CASE WHEN given ? 'invalidShortUrlRedirect' THEN given ->> 'invalidShortUrlRedirect' ELSE invalid_short_url_redirect END
  FROM (SELECT $2::jsonb AS given) AS request
  WHERE authority = $1 OR ($1::text IS NULL AND is_default)
  RETURNING domains.*
), announced AS (
  INSERT INTO link_outbox (domain_id) SELECT id FROM changed
)
SELECT authority, is_default AS "isDefault", base_url_redirect AS "baseUrlRedirect",
  regular_404_redirect AS "regular404Redirect", invalid_short_url_redirect AS "invalidShortUrlRedirect"
FROM changed
