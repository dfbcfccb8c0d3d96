-- What operators have workers do: a plan of what would change, then the work itself, from its checkpoint on after a kill.
CREATE TABLE operator_jobs (
  id              bigint GENERATED ALWAYS AS IDENTITY CONSTRAINT operator_jobs_pkey PRIMARY KEY,
  kind            text COLLATE "C" NOT NULL CHECK (kind IN ('rebuild', 'verify', 'redrive', 'seal', 'replay')),
  parameters      jsonb NOT NULL,
  state           text COLLATE "C" NOT NULL CHECK (
    state IN ('planning', 'planned', 'running', 'paused', 'done', 'mismatch', 'failed', 'cancelled')
  ),
  asked_by        text NOT NULL,
  created_at      timestamptz NOT NULL DEFAULT now(),
  started_at      timestamptz,
  ended_at        timestamptz,
  action_id       bigint CONSTRAINT operator_jobs_action_id_fkey REFERENCES operator_actions,
  plan            jsonb,                     -- counts of what would change
  counts          jsonb NOT NULL DEFAULT '{}', -- of what was done
  checkpoint      jsonb NOT NULL DEFAULT '{}', -- where the next worker begins
  step            text,
  done            bigint,                    -- of the step
  total           bigint,
  per_second      double precision,
  holder          uuid,                      -- the worker's run; without one any worker takes it
  heard_at        timestamptz,               -- when the holder last said that it lives
  silent_holders  integer NOT NULL DEFAULT 0, -- in a row, without a checkpoint between them
  error           text
);
CREATE UNIQUE INDEX operator_jobs_one_runs ON operator_jobs (kind) WHERE state = 'running';
CREATE INDEX operator_jobs_open ON operator_jobs (kind, id) WHERE state IN ('planning', 'running');

-- What operators ask for; what workers write of its progress is in the row, and its end in operator_actions.
SELECT audit_table(
  'operator_jobs', 'job', 'kind',
  '{id,created_at,started_at,ended_at,action_id,plan,counts,checkpoint,step,done,total,per_second,holder,heard_at,silent_holders,error}',
  '',
  $when$WHEN (coalesce(current_setting('hopcount.actor', true), '') <> '' OR current_setting('application_name') = 'hopcount-api')$when$
);
