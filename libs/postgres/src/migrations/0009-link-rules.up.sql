-- Which rule, target of a split or end decided where the visitor went: 'rule:1', 'split:2', 'expired'. null: the long URL.
-- First: a commit locks the ledger before it reads links.
ALTER TABLE visits ADD COLUMN route text COLLATE "C";

-- robots.txt names the crawlable links of a domain, newest first.
CREATE INDEX links_crawlable ON links (domain_id, id) WHERE crawlable AND deleted_at IS NULL;

-- Where a link leads by who asks: rules, the first that holds counts, then targets with weights. Bounded by the api: 64 KB.
ALTER TABLE links
  ADD COLUMN redirect_rules jsonb CHECK (jsonb_typeof(redirect_rules) = 'array'), -- [{longUrl, conditions: [{type, matchKey, matchValue}]}]
  ADD COLUMN split jsonb CHECK (jsonb_typeof(split) = 'array');                   -- [{longUrl, weight}]

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
  'split', (link).split
))::text, '{}');
