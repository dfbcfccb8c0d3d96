-- Who an OpenID Connect provider says a user is. Its issuer and its subject are for ever: an email address may be given to somebody else.
CREATE TABLE provider_identities (
  issuer     text COLLATE "C" NOT NULL,
  subject    text COLLATE "C" NOT NULL,
  user_id    integer NOT NULL CONSTRAINT provider_identities_user_id_fkey REFERENCES users ON DELETE CASCADE,
  created_at timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT provider_identities_pkey PRIMARY KEY (issuer, subject),
  CONSTRAINT provider_identities_user_id_issuer_key UNIQUE (user_id, issuer)  -- one person at each provider
);
SELECT audit_table('provider_identities', 'provider-identity', 'user_id', '{created_at}', '', '');
