-- People who sign in. What they may do is a role of everything, or one of each of some groups.
CREATE TABLE users (
  id                 integer GENERATED ALWAYS AS IDENTITY CONSTRAINT users_pkey PRIMARY KEY,
  email              text COLLATE "C" NOT NULL CONSTRAINT users_email_key UNIQUE,  -- what they sign in with; nothing is sent to it
  name               text NOT NULL,
  password_hash      text NOT NULL,                 -- argon2id with its parameters
  role               text CONSTRAINT users_role_check CHECK (role IN ('owner', 'member', 'viewer')),  -- null: of groups only
  enabled            boolean NOT NULL DEFAULT true,
  created_at         timestamptz NOT NULL DEFAULT now(),
  last_sign_in_at    timestamptz,
  totp_secret        bytea,                         -- encrypted; null: no second factor
  totp_confirmed     boolean NOT NULL DEFAULT false,
  totp_last_step     bigint NOT NULL DEFAULT 0      -- a code is taken once
);

CREATE TABLE group_roles (
  user_id  integer NOT NULL CONSTRAINT group_roles_user_id_fkey REFERENCES users ON DELETE CASCADE,
  group_id text COLLATE "C" NOT NULL CONSTRAINT group_roles_group_id_fkey REFERENCES groups ON DELETE CASCADE,
  role     text NOT NULL CONSTRAINT group_roles_role_check CHECK (role IN ('owner', 'member', 'viewer')),
  CONSTRAINT group_roles_pkey PRIMARY KEY (user_id, group_id)
);
CREATE INDEX group_roles_by_group ON group_roles (group_id);

CREATE TABLE recovery_codes (
  user_id   integer NOT NULL CONSTRAINT recovery_codes_user_id_fkey REFERENCES users ON DELETE CASCADE,
  code_hash bytea NOT NULL,
  CONSTRAINT recovery_codes_pkey PRIMARY KEY (user_id, code_hash)
);

-- Who is signed in: a row that is gone is a session that has ended.
CREATE TABLE sessions (
  token_hash bytea CONSTRAINT sessions_pkey PRIMARY KEY,     -- SHA-256 of what the cookie holds
  user_id    integer NOT NULL CONSTRAINT sessions_user_id_fkey REFERENCES users ON DELETE CASCADE,
  created_at timestamptz NOT NULL DEFAULT now(),
  seen_at    timestamptz NOT NULL DEFAULT now(),             -- written at most once a minute
  expires_at timestamptz NOT NULL
);
CREATE INDEX sessions_by_user ON sessions (user_id, created_at);

-- Links that make an account, or give one another password. Used once: the row goes.
CREATE TABLE invites (
  token_hash bytea CONSTRAINT invites_pkey PRIMARY KEY,
  user_id    integer CONSTRAINT invites_user_id_fkey REFERENCES users ON DELETE CASCADE,  -- whose password; null: a new account
  role       text CONSTRAINT invites_role_check CHECK (role IN ('owner', 'member', 'viewer')),
  groups     jsonb NOT NULL DEFAULT '{}',                    -- role of each group
  only_first boolean NOT NULL DEFAULT false,                 -- worth nothing once there is an account
  created_at timestamptz NOT NULL DEFAULT now(),
  expires_at timestamptz NOT NULL
);

-- What came with an Idempotency-Key is a key's or a user's.
ALTER TABLE idempotency_keys
  DROP CONSTRAINT idempotency_keys_pkey,
  ALTER COLUMN api_key_id DROP NOT NULL,
  ADD COLUMN user_id integer CONSTRAINT idempotency_keys_user_id_fkey REFERENCES users ON DELETE CASCADE,
  ADD CONSTRAINT idempotency_keys_api_key_id_key_key UNIQUE (api_key_id, key),
  ADD CONSTRAINT idempotency_keys_user_id_key_key UNIQUE (user_id, key);

-- As of 0018, which processes of older versions ask, and by groups: those whose links are reached (null: of any, and of none).
CREATE FUNCTION within_reach(
  author integer, domain integer, group_id text, only_author integer, only_domain integer, only_groups text[]
) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE
AS $$
  SELECT (only_author IS NULL OR author = only_author) AND (only_domain IS NULL OR domain = only_domain)
    AND (only_groups IS NULL OR group_id = ANY (only_groups))
$$;
