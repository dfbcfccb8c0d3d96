import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Sealer, SecondFactors } from '@hopcount/identities';
import { testRedis, type TestRedis } from '@hopcount/testing';
import { Secret, TOTP } from 'otpauth';

import { type Answer, TestApi } from '../api.spec-helpers.js';
import { cookieOf, PASSWORD, TestUsers } from '../users/users.spec-helpers.js';

/** Its own: buckets are named by ids of users. */
let redis: TestRedis;
let api: TestApi;
let users: TestUsers;

beforeAll(async () => {
  redis = await testRedis();
  api = await TestApi.start({ REDIS_URL: redis.url, SIGN_IN_LIMIT: '20:0.01' });
  users = new TestUsers(api);
});
afterAll(async () => {
  await api.stop();
  await redis.close();
});

describe('a second factor', () => {
  const codeOf = (secret: string, timestamp = Date.now()) =>
    new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp });
  const post = (path: string, cookie: string, body: object) =>
    users.ask(`session/second-factor${path}`, { method: 'POST', cookie, body });
  const typeOf = ({ status, body }: Answer) => [status, (body['type'] as string | undefined)?.split(':').at(-1)];

  it('is asked for once it is confirmed, takes each code once, and recovery codes when the app is gone', async () => {
    const { email, cookie, id } = await users.create();
    expect((await post('', cookie, { password: 'wrong, and long' })).status).toBe(401);
    const secret = (await post('', cookie, { password: PASSWORD })).body['secret'] as string;
    const elsewhere = cookieOf(await users.signIn(email));
    expect((await post('/confirm', cookie, { code: '000000' })).body['invalidElements']).toEqual(['code']);
    expect(await users.isSignedIn(elsewhere)).toBe(true);
    const confirmed = await post('/confirm', cookie, { code: codeOf(secret) });
    const recovery = confirmed.body['recoveryCodes'] as string[];
    expect([confirmed.status, new Set(recovery).size]).toEqual([200, 10]);
    // It never gave a code.
    expect([await users.isSignedIn(elsewhere), await users.isSignedIn(cookie)]).toEqual([false, true]);
    const [kept] = await api.database.query<{ totp_secret: Buffer }>('SELECT totp_secret FROM users WHERE id = $1', [
      id,
    ]);
    expect(kept?.totp_secret.includes(Buffer.from(Secret.fromBase32(secret).bytes))).toBe(false);

    const withCode = (code?: string) =>
      users.ask('session', { method: 'POST', body: { email, password: PASSWORD, ...(code && { code }) } });
    expect(typeOf(await withCode())).toEqual([401, 'second-factor-required']);
    expect(typeOf(await users.signIn(email, 'wrong, and long'))).toEqual([401, 'invalid-credentials']);
    // Of the next step: that of this one was taken.
    const code = codeOf(secret, Date.now() + 30_000);
    expect([(await withCode(code)).status, typeOf(await withCode(code))]).toEqual([200, [401, 'invalid-credentials']]);
    const [first = ''] = recovery;
    expect([(await withCode(first.toUpperCase().replaceAll('-', ' '))).status, (await withCode(first)).status]).toEqual(
      [200, 401],
    );
    expect((await users.ask('session', { cookie })).body).toMatchObject({ secondFactor: true });
    expect((await post('', cookie, { password: PASSWORD })).status).toBe(409);
    const remove = (given: object) => post('/remove', cookie, { password: PASSWORD, ...given });
    expect([(await remove({})).status, (await remove({ code: recovery[1] })).status]).toEqual([401, 204]);
  });

  it('is guessed few times by whoever has the password, and its recovery codes work meanwhile', async () => {
    const { email, cookie, id } = await users.create();
    const secret = (await post('', cookie, { password: PASSWORD })).body['secret'] as string;
    const { body } = await post('/confirm', cookie, { code: codeOf(secret) });
    const [recovery = ''] = body['recoveryCodes'] as string[];
    const withCode = async (code: string, password = PASSWORD) =>
      typeOf(await users.ask('session', { method: 'POST', body: { email, password, code } }));
    const right = () => codeOf(secret, Date.now() + 30_000);
    for (let tries = 0; tries < 10; tries += 1) {
      expect(await withCode('000000')).toEqual([401, 'invalid-credentials']);
    }
    expect(await withCode(right())).toEqual([429, 'too-many-codes']);
    // Who does not have the password is not told.
    expect(await withCode(right(), 'wrong, and long')).toEqual([401, 'invalid-credentials']);
    const refused = await api.get(`audit-log?object=${email}&kind=user`);
    expect((refused.body['auditLog'] as { data: unknown[] }).data[0]).toMatchObject({
      actor: { operation: 'signIn', address: '127.0.0.1' },
      after: { codesRefusedUntil: expect.stringMatching(/^2/) },
    });
    // One try an hour.
    await api.database.query('UPDATE users SET codes_refused_until = now() WHERE id = $1', [id]);
    expect(await withCode('000000')).toEqual([401, 'invalid-credentials']);
    expect(await withCode(right())).toEqual([429, 'too-many-codes']);
    expect(await withCode(recovery)).toEqual([200, undefined]);
    expect(await withCode(right())).toEqual([200, undefined]);
  });

  it('goes with a reset of the password', async () => {
    const { email, cookie, id } = await users.create();
    const secret = (await post('', cookie, { password: PASSWORD })).body['secret'] as string;
    expect((await post('/confirm', cookie, { code: codeOf(secret) })).status).toBe(200);
    expect((await users.signIn(email)).status).toBe(401);
    await users.accept((await api.request('POST', `/rest/v3/users/${id}/reset`)).body['token'] as string);
    expect((await users.signIn(email)).status).toBe(200);
  });

  it('is read while the secret of the installation is being replaced, and by nobody else', async () => {
    const { cookie, id } = await users.create();
    const { database } = api.resources;
    const under = (...secrets: [string, ...string[]]) => new SecondFactors(database, new Sealer(secrets));
    const { secret } = await under('first').begin(id);
    const sealed = async () =>
      (await database.query<{ totp_secret: Buffer }>('SELECT totp_secret FROM users WHERE id = $1', [id]))[0]
        ?.totp_secret;
    const before = await sealed();
    const confirm = (factors: SecondFactors) => database.transaction((tx) => factors.confirm(tx, id, codeOf(secret)));
    await expect(confirm(under('second'))).rejects.toMatchObject({ code: 'invalid-data' });
    await confirm(under('second', 'first'));
    const after = (await sealed()) as Buffer;
    expect(after.equals(before as Buffer)).toBe(false);
    expect([new Sealer(['second']).open(after, id), new Sealer(['second']).open(after, id + 1)]).toEqual([
      expect.objectContaining({ isOfFirst: true }),
      undefined,
    ]);
    expect(await users.isSignedIn(cookie)).toBe(true);
  });
});
