-- A link whose visitors are shown where it leads before they are sent there.
ALTER TABLE links ADD COLUMN warn boolean NOT NULL DEFAULT false;

CREATE OR REPLACE FUNCTION link_policy(link links) RETURNS text
LANGUAGE sql STABLE
RETURN nullif(json_strip_nulls(json_build_object(
  'validSince', (extract(epoch FROM (link).valid_since) * 1000)::bigint,
  'validUntil', (extract(epoch FROM (link).valid_until) * 1000)::bigint,
  'maxVisits', (link).max_visits,
  'expiredUrl', (link).expired_url,
  'disabled', CASE WHEN (link).disabled THEN true END,
  'forwardQuery', CASE WHEN NOT (link).forward_query THEN false END,
  'extraPath', (link).extra_path,
  'status', (link).redirect_status,
  'rules', (link).redirect_rules,
  'split', (link).split,
  'password', left(encode(sha256(convert_to((link).password_hash, 'UTF8')), 'hex'), 32),
  'warn', CASE WHEN (link).warn THEN true END
))::text, '{}');
