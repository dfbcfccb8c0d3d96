-- What decides where visitors of a link go, beside its long URL. Nothing here is written for a link that has none of it.
ALTER TABLE links
  ADD COLUMN valid_since timestamptz CHECK (isfinite(valid_since)),
  ADD COLUMN valid_until timestamptz CHECK (isfinite(valid_until)),   -- that moment is still valid
  ADD COLUMN max_visits integer CHECK (max_visits > 0),
  ADD COLUMN expired_url text,                                        -- instead of 404, once it has ended
  ADD COLUMN disabled boolean NOT NULL DEFAULT false,
  ADD COLUMN forward_query boolean NOT NULL DEFAULT true,
  ADD COLUMN extra_path text COLLATE "C" CHECK (extra_path IN ('append', 'ignore')), -- null: /code/more is 404
  ADD COLUMN redirect_status smallint CHECK (redirect_status IN (301, 302, 307, 308)),
  ADD COLUMN crawlable boolean NOT NULL DEFAULT false;                -- named in robots.txt

-- All that a gateway has to know to answer for the link, beside its long URL, as compact JSON; null when there is nothing
-- special about it. Caches carry the text as it is; only the gateway reads it.
CREATE FUNCTION link_policy(link links) RETURNS text
LANGUAGE sql STABLE
RETURN nullif(json_strip_nulls(json_build_object(
  'validSince', (extract(epoch FROM (link).valid_since) * 1000)::bigint,
  'validUntil', (extract(epoch FROM (link).valid_until) * 1000)::bigint,
  'maxVisits', (link).max_visits,
  'expiredUrl', (link).expired_url,
  'disabled', CASE WHEN (link).disabled THEN true END,
  'forwardQuery', CASE WHEN NOT (link).forward_query THEN false END,
  'extraPath', (link).extra_path,
  'status', (link).redirect_status
))::text, '{}');
