-- Links that show the statistics of one view to whoever has them. Their tokens are not kept, only hashes of them.
CREATE TABLE share_links (
  id         integer GENERATED ALWAYS AS IDENTITY CONSTRAINT share_links_pkey PRIMARY KEY,
  token_hash bytea NOT NULL CONSTRAINT share_links_token_hash_key UNIQUE,
  name       text NOT NULL,
  user_id    integer NOT NULL CONSTRAINT share_links_user_id_fkey REFERENCES users ON DELETE CASCADE,
  view       jsonb NOT NULL,   -- domain, tag, group, shortCode and filters, as they are asked
  link_id    bigint CONSTRAINT share_links_link_id_fkey REFERENCES links ON DELETE CASCADE,  -- of a view of one link: another that gets its code is another
  in_groups  text[],           -- what its maker reached when they made it; null: everything
  created_at timestamptz NOT NULL DEFAULT now(),
  expires_at timestamptz NOT NULL
);
CREATE INDEX share_links_of_user ON share_links (user_id);
CREATE INDEX share_links_of_link ON share_links (link_id) WHERE link_id IS NOT NULL;
SELECT audit_table('share_links', 'share-link', 'name', '{id,created_at}', '', '');
