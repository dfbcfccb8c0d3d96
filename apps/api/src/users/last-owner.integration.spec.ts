import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { actingAs, type Actor, hashPassword } from '@hopcount/runtime';
import { testRedis, type TestRedis } from '@hopcount/testing';

import { type Answer, TestApi } from '../api.spec-helpers.js';
import { cookieOf, HOST, PASSWORD, TestUsers } from './users.spec-helpers.js';

type Change = readonly [string, (id: number) => Promise<Answer>];

let redis: TestRedis;
let api: TestApi;
let users: TestUsers;

beforeAll(async () => {
  redis = await testRedis();
  api = await TestApi.start({ REDIS_URL: redis.url });
  users = new TestUsers(api);
  await api.request('POST', '/rest/v3/groups', { body: { groupId: 'spring' } });
});
afterAll(async () => {
  await api.stop();
  await redis.close();
});
beforeEach(() => api.database.query('DELETE FROM users'));

const edit = (body: object) => (id: number) => api.request('PATCH', `/rest/v3/users/${id}`, { body });
/** Each route that takes something from a user. */
const CHANGES: readonly Change[] = [
  ['deleting', (id) => api.request('DELETE', `/rest/v3/users/${id}`)],
  ['disabling', edit({ enabled: false })],
  ['making a member of', edit({ role: 'member' })],
  ['making a viewer of', edit({ role: 'viewer' })],
  ['giving only a group to', edit({ role: null, groups: { spring: 'owner' } })],
  ['unbinding', (id) => api.request('DELETE', `/rest/v3/users/${id}/provider-identity`)],
];
const refusal = ({ status, body }: Answer) => [status, body['type']];
const LAST_OWNER = [409, 'urn:hopcount:problem:last-owner'];

const bind = (id: number) =>
  api.database.query(`INSERT INTO provider_identities (issuer, subject, user_id) VALUES ('https://id.test', $1, $2)`, [
    ...[`subject ${id}`, id],
  ]);
/** An owner who only signs in with the provider: never had a password, or lost it with an earlier binding. */
async function ownerOfProvider(): Promise<{ id: number; email: string }> {
  const keeper = await users.create({ role: 'owner' });
  const owner = await users.create({ role: 'owner' });
  expect((await CHANGES.at(-1)![1](owner.id)).status).toBe(204);
  await bind(owner.id);
  await api.database.query('DELETE FROM users WHERE id = $1', [keeper.id]);
  return owner;
}

describe.each(CHANGES)('%s the only owner who can sign in', (_, change) => {
  it('is refused when they have a password, and they still sign in', async () => {
    const { id, email } = await users.create({ role: 'owner' });
    await users.create({ role: 'member' });
    expect(refusal(await change(id))).toEqual(LAST_OWNER);
    const again = await users.signIn(email, PASSWORD);
    expect([again.status, again.body['role']]).toEqual([200, 'owner']);
    expect((await users.ask('users', { cookie: cookieOf(again) })).status).toBe(200);
  });

  it('is refused when they come from the provider, whatever owners without a way in there are', async () => {
    const { id } = await ownerOfProvider();
    await bind((await users.create({ role: 'member' })).id);
    const disabled = await users.create({ role: 'owner' });
    expect((await edit({ enabled: false })(disabled.id)).status).toBe(200);
    const lost = await users.create({ role: 'owner' });
    expect((await CHANGES.at(-1)![1](lost.id)).status).toBe(204);
    expect(refusal(await change(id))).toEqual(LAST_OWNER);
    expect(await api.database.query('SELECT FROM provider_identities WHERE user_id = $1', [id])).toHaveLength(1);
  });

  it('is done once there is another one', async () => {
    const { id } = await ownerOfProvider();
    const other = await users.create({ role: 'owner' });
    expect((await change(id)).status).toBeLessThan(300);
    expect((await users.ask('users', { cookie: other.cookie })).status).toBe(200);
  });
});

describe('two owners who remove each other at once', () => {
  it.each(CHANGES.flatMap(([one, first]) => CHANGES.map(([two, second]) => [one, two, first, second] as const)))(
    'by %s and by %s: one of them stays and signs in',
    async (_one, _two, first, second) => {
      const [ada, bob] = [await users.create({ role: 'owner' }), await users.create({ role: 'owner' })];
      const answers = await Promise.all([first(ada.id), second(bob.id)]);
      expect(answers.filter(({ status }) => status < 300)).toHaveLength(1);
      const [stays] = answers[0].status < 300 ? [bob] : [ada];
      const again = await users.signIn(stays.email);
      expect([again.status, again.body['role'], stays.email.endsWith(HOST)]).toEqual([200, 'owner', true]);
    },
  );
});

/** An earlier version gave such accounts a random password that nobody knows, and nothing in the row says so. */
describe('once the upgrade has looked at passwords of an earlier version', () => {
  const PEOPLE = { id: null, name: 'Ada', address: '::1', requestId: 'r1' };
  const request = (operation: string): Actor => ({ ...PEOPLE, kind: 'user', operation });
  const COMMAND: Actor = { ...PEOPLE, kind: 'cli', operation: null, requestId: null };
  const setPassword = async (by: Actor, id: number) => {
    const hash = await hashPassword(PASSWORD);
    await actingAs(by, () =>
      api.resources.database.transaction((tx) =>
        tx.query('UPDATE users SET password_hash = $2 WHERE id = $1', [id, hash]),
      ),
    );
  };
  const unbound = async (by: Actor) => {
    const owner = await users.create({ role: 'owner' });
    await setPassword(by, owner.id);
    return owner;
  };
  const fromProvider = async () => {
    const email = `provided-${Math.random()}@${HOST}`;
    const hash = await hashPassword(PASSWORD);
    const id = await api.resources.database.transaction(async (tx) => {
      const [made] = await tx.query<{ id: number }>(
        "INSERT INTO users (email, name, password_hash, role) VALUES ($1, 'Ada', $2, 'owner') RETURNING id",
        [email, hash],
      );
      await tx.query("INSERT INTO provider_identities (issuer, subject, user_id) VALUES ('https://old.test', $1, $2)", [
        ...[email, made?.id],
      ]);
      return made?.id ?? 0;
    });
    // The first version that unbound left the password.
    await api.database.query('DELETE FROM provider_identities WHERE user_id = $1', [id]);
    return { id, email };
  };
  const upgrade = async () => {
    await api.database.query("DELETE FROM schema_migrations WHERE name LIKE 'MadeUpPasswords%'");
    expect(await api.resources.database.migrate()).toEqual([expect.stringMatching(/^MadeUpPasswords/)]);
  };
  const statusOf = async ({ email }: { email: string }) => (await users.signIn(email)).status;

  it.each([
    ['unbinding by a request', () => unbound(request('unbindUser'))],
    ['unbinding by a command', () => unbound(COMMAND)],
    ['an account made by the provider', fromProvider],
  ])('%s left no owner who can sign in, so the only one stays', async (_, leave) => {
    const left = await leave();
    const { id } = await users.create({ role: 'owner' });
    await bind(id);
    await upgrade();
    for (const [, change] of CHANGES) expect(refusal(await change(id))).toEqual(LAST_OWNER);
    expect(await statusOf(left)).toBe(401);
    expect(refusal(await CHANGES.at(-1)![1](id))).toEqual(LAST_OWNER);
  });

  it('a password that somebody chose still works', async () => {
    const invited = await users.create({ role: 'owner' });
    await bind(invited.id);
    const chosenSince = await unbound(request('unbindUser'));
    await setPassword(request('acceptInvite'), chosenSince.id);
    const changedSince = await fromProvider();
    await setPassword(request('changePassword'), changedSince.id);
    const unknown = await fromProvider();
    await api.database.query('DELETE FROM audit_log WHERE object = $1', [unknown.email]);
    // An account that had the address before.
    const namesake = await unbound(request('unbindUser'));
    await api.database.query('DELETE FROM users WHERE id = $1', [namesake.id]);
    await users.accept(await users.invite({ role: 'owner' }), namesake.email);
    await upgrade();
    for (const one of [invited, chosenSince, changedSince, unknown, namesake]) expect(await statusOf(one)).toBe(200);
  });
});
