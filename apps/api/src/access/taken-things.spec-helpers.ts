import { randomBytes, randomUUID } from 'node:crypto';

import { testApiKey, type TestDatabase } from '@hopcount/testing';

/** What an operation changes or ends that is no link, so that each asking needs another one. */
export const TAKEN_THINGS = [
  'key',
  'webhook',
  'alert',
  'block',
  'user',
  'invite',
  'import',
  'report',
  'hostBatch',
  'plannedJob',
  'runningJob',
  'pausedJob',
] as const;
export type TakenThing = (typeof TAKEN_THINGS)[number];

/** Of every webhook. */
export const TRIED_EVENT = '00000000-0000-4000-8000-000000000000';

const TABLES: Record<TakenThing, string> = {
  key: 'api_keys',
  webhook: 'webhooks',
  alert: 'alerts',
  block: 'blocks',
  user: 'users',
  invite: 'invites',
  import: 'imports',
  report: 'abuse_reports',
  hostBatch: '(SELECT key AS id, stream, reversed_at FROM host_batches)',
  plannedJob: 'operator_jobs',
  runningJob: 'operator_jobs',
  pausedJob: 'operator_jobs',
};
const MADE: Record<Exclude<TakenThing, 'key'>, (unique: string) => [sql: string, values: unknown[]]> = {
  webhook: (url) => [
    `WITH made AS (
       INSERT INTO webhooks (url, description, events, visits, secret) VALUES ($1, '', '{link.created}', '{}', $2) RETURNING id
     ), tried AS (
       INSERT INTO webhook_deliveries (webhook_id, event_id, body, attempts, delivered, answer, attempted_at)
       SELECT id, $3, '{}', 1, true, '', now() FROM made
     )
     SELECT id FROM made`,
    [`https://example.com/${url}`, randomBytes(32), TRIED_EVENT],
  ],
  // Of a user who never asks.
  alert: (name) => [
    `WITH owner AS (INSERT INTO users (email, name, password_hash, role) VALUES ($1, $1, '', 'viewer') RETURNING id),
     made AS (
       INSERT INTO alerts (user_id, name, subject, kind, window_minutes, threshold, time_zone, channel, looked_until)
       SELECT id, $1, 'all', 'below', 60, 1, 'UTC', 'webhook', now() FROM owner RETURNING id
     ), hook AS (
       INSERT INTO webhooks (url, description, events, visits, secret, alert_id)
       SELECT 'https://example.com/', '', '{}', '{}', $2, id FROM made
     )
     SELECT id FROM made`,
    [`${name}@x.test`, randomBytes(32)],
  ],
  block: (name) => [`INSERT INTO blocks (kind, value) VALUES ('host', $1) RETURNING id`, [`${name}.example`]],
  // Known to a provider.
  user: (name) => [
    `WITH made AS (INSERT INTO users (email, name, password_hash, role) VALUES ($1, $2, '', 'viewer') RETURNING id),
     bound AS (INSERT INTO provider_identities (issuer, subject, user_id) SELECT 'https://id.test', $2, id FROM made)
     SELECT id FROM made`,
    [`${name}@x.test`, name],
  ],
  invite: () => [
    `INSERT INTO invites (token_hash, role, expires_at) VALUES ($1, 'viewer', now() + interval '1 day') RETURNING id`,
    [randomBytes(32)],
  ],
  import: (name) => [`INSERT INTO imports (source, name, state) VALUES ('csv', $1, 'waiting') RETURNING id`, [name]],
  // Of any link that has none.
  report: () => [
    `INSERT INTO abuse_reports (link_id, cause)
     SELECT id, 'spam' FROM links WHERE NOT EXISTS (SELECT FROM abuse_reports WHERE link_id = links.id) LIMIT 1
     RETURNING id`,
    [],
  ],
  // Of everybody, since all have their own.
  hostBatch: (key) => [
    `INSERT INTO host_batches (stream, key, body_hash, accepted_at, lines, visits, names, counts, settled_at)
     SELECT stream, $1, '', now(), 1, 1, '{com}', '{1}', now()
     FROM (SELECT 'key ' || id FROM api_keys UNION ALL SELECT 'user ' || id FROM users) AS everybody (stream)
     RETURNING key AS id`,
    [key],
  ],
  // One of each kind runs at a time.
  plannedJob: () => [jobAlone('seal', 'planned'), []],
  runningJob: () => [
    `INSERT INTO operator_jobs (kind, parameters, state, asked_by) VALUES ('replay', '{}', 'running', 'spec')
     ON CONFLICT (kind) WHERE state = 'running' DO UPDATE SET asked_by = 'spec' RETURNING id`,
    [],
  ],
  pausedJob: () => [jobAlone('redrive', 'paused'), []],
};

function jobAlone(kind: string, state: string): string {
  return `WITH ended AS (UPDATE operator_jobs SET state = 'cancelled' WHERE kind = '${kind}' AND state = 'running')
    INSERT INTO operator_jobs (kind, parameters, state, asked_by) VALUES ('${kind}', '{}', '${state}', 'spec') RETURNING id`;
}

/** @returns its id */
export async function makeTaken(thing: TakenThing, database: TestDatabase): Promise<string> {
  if (thing === 'key') return String((await testApiKey(database)).id);
  const [row] = await database.query<{ id: string | number }>(...MADE[thing](randomUUID()));
  return String(row?.id);
}

export function stateOfTaken(thing: TakenThing, id: string, database: TestDatabase): Promise<unknown[]> {
  return database.query(`SELECT it::text FROM ${TABLES[thing]} AS it WHERE id = $1`, [id]);
}
