import { connect } from 'node:net';

import { statusesIn, testApiKey, testRedis, type TestRedis, type TestTopic, testTopic } from '@hopcount/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { type Answer, TestApi } from '../api.spec-helpers.js';
import { TestUsers } from '../users/users.spec-helpers.js';

/** Of someone whose request has been let in, up to the end of its body. */
interface Sender {
  header: string;
  /** When the api has noted that it was them. */
  isSeen: string;
  change: () => Promise<Answer | undefined>;
}

let redis: TestRedis;
let topic: TestTopic;
let api: TestApi;
let users: TestUsers;

beforeAll(async () => {
  redis = await testRedis();
  topic = await testTopic({ label: 'counts' });
  api = await TestApi.start({ REDIS_URL: redis.url, HOST_COUNTS_TOPIC: topic.name });
  users = new TestUsers(api);
  // The last owner would keep their role.
  await users.create({ role: 'owner' });
  for (const groupId of ['spring', 'other']) await api.request('POST', '/rest/v3/groups', { body: { groupId } });
});
afterAll(async () => {
  await api.stop();
  await redis.close();
  await topic.delete();
});

async function withKey(change: (path: string) => Promise<Answer | undefined>): Promise<Sender> {
  const { id, key } = await testApiKey(api.database);
  return {
    header: `x-api-key: ${key}`,
    isSeen: `SELECT FROM api_keys WHERE id = ${id} AND last_used_at IS NOT NULL`,
    change: () => change(`/rest/v3/api-keys/${id}`),
  };
}

async function signedIn(edit: object): Promise<Sender> {
  const { id, cookie } = await users.create({ role: 'owner' });
  await api.database.query(`UPDATE sessions SET seen_at = now() - interval '1 hour' WHERE user_id = $1`, [id]);
  return {
    header: `cookie: ${cookie}\r\nsec-fetch-site: same-origin`,
    isSeen: `SELECT FROM sessions WHERE user_id = ${id} AND seen_at > now() - interval '30 minutes'`,
    change: () => api.request('PATCH', `/rest/v3/users/${id}`, { body: edit }),
  };
}

const CHANGES: readonly [string, () => Promise<Sender>, ...number[]][] = [
  ['the key was revoked', () => withKey((path) => api.request('DELETE', path)), 401],
  ['the key was disabled', () => withKey((path) => api.request('PATCH', path, { body: { enabled: false } })), 401],
  ['the user was disabled', () => signedIn({ enabled: false }), 401],
  ["the user's role became viewer", () => signedIn({ role: 'viewer' }), 403],
  // The link is in a group that does not exist for that user any more: 400.
  ["the user's role became one of a group only", () => signedIn({ role: null, groups: { spring: 'owner' } }), 403, 400],
];
const CSV = 'longUrl,shortCode\nhttps://example.com/,slow\n';
const BODIES: readonly [string, string, string, string][] = [
  ['JSON', 'short-urls', 'application/json', '{"longUrl":"https://example.com/","groupId":"other"}'],
  ['a file', 'imports?source=csv', 'text/csv', CSV],
  ['lines', 'hosts/counts', 'text/plain', '9001 discuss.leetcode.com\n'],
];
const WRITTEN = `SELECT (SELECT count(*) FROM links)::integer AS links, (SELECT count(*) FROM host_batches)::integer AS batches,
  (SELECT count(*) FROM imports WHERE state <> 'failed')::integer AS imports, (SELECT count(*) FROM import_parts)::integer AS parts`;

/** @returns the answer; `change` is made when half of the body has been sent and its sender is known */
async function sendSlowly({ header, isSeen, change }: Sender, path: string, type: string, body: string) {
  const head =
    `POST /rest/v3/${path} HTTP/1.1\r\nhost: a\r\n${header}\r\ncontent-type: ${type}\r\nidempotency-key: of-a-slow-one\r\n` +
    `content-length: ${body.length}\r\nconnection: close\r\n\r\n`;
  const half = body.length / 2;
  let received = '';
  const socket = connect(Number(new URL(api.url).port), '127.0.0.1', () => socket.write(head + body.slice(0, half)));
  const closed = new Promise((resolve) => socket.once('close', resolve));
  socket.on('data', (chunk) => (received += chunk.toString()));
  while ((await api.database.query(isSeen)).length === 0) await new Promise((resolve) => setTimeout(resolve, 20));
  expect((await change())?.status ?? 200).toBeLessThan(300);
  socket.write(body.slice(half));
  await closed;
  return received;
}

describe.each(BODIES)('%s that is still being sent', (_, path, type, body) => {
  it.each(CHANGES)('is refused, and nothing of it is kept, when meanwhile %s', async (_name, sender, ...statuses) => {
    const before = await api.database.query(WRITTEN);
    const received = await sendSlowly(await sender(), path, type, body);
    expect(statusesIn(received)).toHaveLength(1);
    expect(statuses).toContain(statusesIn(received)[0]);
    expect(await api.database.query(WRITTEN)).toEqual(before);
  });

  it('is taken from a key that stays as it is', async () => {
    const sender = await withKey(() => Promise.resolve(undefined));
    expect(await sendSlowly(sender, path, type, body)).toMatch(/^HTTP\/1\.1 20[02] /);
  });
});

describe('the import of a file whose key was revoked while it was sent', () => {
  it('says why it failed', async () => {
    const sender = await withKey((path) => api.request('DELETE', path));
    await sendSlowly(sender, 'imports?source=csv', 'text/csv', CSV);
    const [last] = await api.database.query('SELECT state, failure FROM imports ORDER BY id DESC LIMIT 1');
    expect(last).toEqual({ state: 'failed', failure: 'The API key is unknown, disabled, expired or revoked.' });
  });
});
