import { API_SCOPES, type ApiScope } from '@hopcount/contracts';
import { testApiKey } from '@hopcount/testing';

import type { TestApi } from '../api.spec-helpers.js';
import { LIKE_KEYS } from './access-matrix.spec-helpers.js';

export interface Identity {
  /** Column of the table. */
  kind: string;
  name: string;
  /** '': none is sent. */
  key: string;
  /** Of a session. */
  cookie?: string;
  id: number;
}

/** Of the users with a role in a group. */
export const GROUP = 'team';
const ALL_BUT_ADMIN = API_SCOPES.filter((scope) => scope !== 'admin');

/** One or more of each kind that the table has a column for; there are the domain d.test and the group. */
export async function makeIdentities(api: TestApi): Promise<Identity[]> {
  const { database } = api;
  const keys: [kind: string, name: string, given: Parameters<typeof testApiKey>[1]][] = [
    ...(['expired', 'disabled', 'revoked'] as const).map((name): [string, string, object] => [
      ...(['no key', name] as const),
      { enabled: name !== 'disabled', expiresAt: name === 'expired' ? new Date(Date.now() - 1_000) : undefined },
    ]),
    ...Object.entries({ read: 'links:read', write: 'links:write', statistics: 'statistics:read' }).map(
      ([kind, scope]): [string, string, object] => [kind, kind, { scopes: [scope as ApiScope] }],
    ),
    ['purge', 'purge', { scopes: ['visits:purge'] }],
    ['admin', 'admin', {}],
    ['authored', 'authored', { scopes: ALL_BUT_ADMIN, authoredOnly: true }],
    ['domain', 'domain', { scopes: ALL_BUT_ADMIN, domain: 'd.test' }],
    ['no orphans', 'no orphans', { scopes: ALL_BUT_ADMIN, noOrphanVisits: true }],
  ];
  const identities: Identity[] = [
    { kind: 'no key', name: 'none', key: '', id: 0 },
    { kind: 'no key', name: 'unknown', key: (await unusedKey(api)).key, id: 0 },
  ];
  for (const [kind, name, given] of keys) identities.push({ kind, name, ...(await testApiKey(database, given)) });
  const revoked = identities.find(({ name }) => name === 'revoked');
  await database.query('UPDATE api_keys SET revoked_at = now() WHERE id = $1', [revoked?.id]);
  const everything = Object.keys(LIKE_KEYS);
  for (const kind of ['owner', 'group owner', 'member', 'viewer', 'signed out', ...everything]) {
    identities.push(await newUser(api, kind));
  }
  return identities;
}

/** Signed in. */
async function newUser(api: TestApi, kind: string): Promise<Identity> {
  const { database, sessions } = api.resources;
  const [user] = await database.query<{ id: number }>(
    `INSERT INTO users (email, name, password_hash, role) VALUES ($1, $1, '', $2) RETURNING id`,
    [`${kind.replaceAll(' ', '-')}@x.test`, /^owner$|^\w+(?= of everything$)/.exec(kind)?.[0] ?? null],
  );
  const id = user?.id ?? 0;
  const role = { 'group owner': 'owner', member: 'member', viewer: 'viewer' }[kind];
  if (role !== undefined) await database.query('INSERT INTO group_roles VALUES ($1, $2, $3)', [id, GROUP, role]);
  const cookie = `__Host-hopcount=${await sessions.begin(database, id)}`;
  if (kind === 'signed out') await database.query('DELETE FROM sessions WHERE user_id = $1', [id]);
  return { kind, name: kind, key: '', cookie, id };
}

/** As a key is written, but of nobody. */
async function unusedKey(api: TestApi): Promise<{ key: string }> {
  const made = await testApiKey(api.database);
  await api.database.query('DELETE FROM api_keys WHERE id = $1', [made.id]);
  return made;
}
