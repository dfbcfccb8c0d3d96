-- What users want to be told of numbers of visits. A worker checks each closed window.
CREATE TABLE alerts (
  id             integer GENERATED ALWAYS AS IDENTITY CONSTRAINT alerts_pkey PRIMARY KEY,
  user_id        integer CONSTRAINT alerts_user_id_fkey REFERENCES users ON DELETE CASCADE,
  api_key_id     integer CONSTRAINT alerts_api_key_id_fkey REFERENCES api_keys ON DELETE CASCADE,
  name           text NOT NULL,
  subject        text COLLATE "C" NOT NULL CHECK (subject IN ('link', 'host', 'tag', 'group', 'domain', 'all')),
  link_id        bigint CONSTRAINT alerts_link_id_fkey REFERENCES links ON DELETE CASCADE,
  tag_id         integer CONSTRAINT alerts_tag_id_fkey REFERENCES tags ON DELETE CASCADE,
  domain_id      integer CONSTRAINT alerts_domain_id_fkey REFERENCES domains ON DELETE CASCADE,
  group_id       text COLLATE "C",                  -- one that is gone has its visits still
  host_kind      smallint,
  host           text COLLATE "C",                  -- labels reversed
  kind           text COLLATE "C" NOT NULL CHECK (kind IN ('rise', 'drop', 'above', 'below')),
  window_minutes integer NOT NULL CHECK (window_minutes BETWEEN 15 AND 10080 AND window_minutes % 15 = 0),
  threshold      bigint NOT NULL,                   -- visits; of rise and drop the fewest that matter
  factor         double precision,                  -- of rise and drop
  time_zone      text NOT NULL,                     -- whose clock earlier windows are found by
  channel        text COLLATE "C" NOT NULL,         -- the form of what is posted
  looked_until   timestamptz NOT NULL,              -- end of the last window that was checked
  held_until     timestamptz,                       -- end of the last one that met the condition; null: the event is over
  told_at        timestamptz,
  created_at     timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT alerts_owner CHECK (num_nonnulls(user_id, api_key_id) = 1)
);
SELECT audit_table('alerts', 'alert', 'name', '{id,created_at,looked_until,held_until,told_at}', '', '');

-- Events of an alert wait and are posted as those of any webhook, by a row of its own that only the alert knows.
ALTER TABLE webhooks ADD COLUMN alert_id integer
  CONSTRAINT webhooks_alert_id_key UNIQUE CONSTRAINT webhooks_alert_id_fkey REFERENCES alerts ON DELETE CASCADE;

-- Whether its owner may see these visits now. Each role and the scope `statistics:read` let visits be seen, see reachOfUser().
CREATE FUNCTION alert_is_seen(alert alerts) RETURNS boolean
LANGUAGE sql STABLE
AS $$
  SELECT EXISTS (
    SELECT FROM (
      SELECT NULL::integer AS author, NULL::integer AS domain,
        CASE WHEN role IS NULL THEN ARRAY(SELECT group_id FROM group_roles WHERE user_id = users.id) END AS groups
      FROM users WHERE users.id = alert.user_id AND enabled
      UNION ALL
      SELECT CASE WHEN authored_only THEN api_keys.id END, api_keys.domain_id, NULL
      FROM api_keys
      WHERE api_keys.id = alert.api_key_id AND enabled AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > now())
        AND scopes && '{admin,statistics:read}'
    ) AS reach
    WHERE CASE alert.subject
      WHEN 'link' THEN EXISTS (
        SELECT FROM links
        WHERE links.id = alert.link_id AND deleted_at IS NULL
          AND within_reach(links.author_key_id, links.domain_id, links.group_id, reach.author, reach.domain, reach.groups)
      )
      WHEN 'group' THEN author IS NULL AND domain IS NULL AND (groups IS NULL OR alert.group_id = ANY (groups))
      WHEN 'domain' THEN author IS NULL AND groups IS NULL AND (domain IS NULL OR domain = alert.domain_id)
      -- Tags and hosts are of all links, and nobody keeps their sums by group.
      ELSE author IS NULL AND domain IS NULL AND groups IS NULL
    END
  )
$$;

-- Whether its sums can be added up often: a tag has at most 1,000 links; a host has sums of its own and at most 1,000 names below it.
CREATE FUNCTION alert_is_counted(alert alerts) RETURNS boolean
LANGUAGE sql STABLE
AS $$
  SELECT CASE alert.subject
    WHEN 'tag' THEN (SELECT count(*) FROM (SELECT FROM link_tags WHERE tag_id = alert.tag_id LIMIT 1001) AS links) <= 1000
    WHEN 'host' THEN host_place(alert.host_kind, alert.host) = alert.host AND (
      SELECT count(*) FROM (
        SELECT FROM hosts WHERE kind = alert.host_kind AND name > alert.host || '.' AND name < alert.host || '/' LIMIT 1001
      ) AS names
    ) <= 1000
    ELSE true
  END
$$;
