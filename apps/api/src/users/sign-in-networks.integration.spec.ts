import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { testRedis, type TestRedis } from '@hopcount/testing';

import { TestApi } from '../api.spec-helpers.js';
import { PASSWORD, SAME_ORIGIN, TestUsers } from './users.spec-helpers.js';

let redis: TestRedis;
let api: TestApi;
let users: TestUsers;

beforeAll(async () => {
  redis = await testRedis();
  api = await TestApi.start({ REDIS_URL: redis.url });
  users = new TestUsers(api);
});
afterAll(async () => {
  await api.stop();
  await redis.close();
});

describe('signing in', () => {
  it.each([
    ['a /56 of IPv6', (n: number) => `2001:db8:56:a${n.toString(16).padStart(2, '0')}::1`, 40],
    ['a /48 of IPv6', (n: number) => `2001:db8:48:${n.toString(16)}00::1`, 60],
    ['a /24 of IPv4', (n: number) => `198.18.1.${n}`, 80],
  ])(
    'S25: is limited for all clients of %s together, while a client elsewhere can still sign in',
    async (_, addressOf, allowed) => {
      const of = await TestApi.start({
        ...{ DATABASE_URL: api.database.url, REDIS_URL: redis.url, TRUSTED_PROXIES: '127.0.0.1' },
        ...{ SIGN_IN_LIMIT: '20:0.01', SIGN_IN_ACCOUNT_LIMIT: '100:0.01' },
      });
      const { email } = await users.create();
      const from = (address: string) => ({ of, headers: { ...SAME_ORIGIN, 'x-forwarded-for': address } });
      const statuses: number[] = [];
      for (let n = 0; n < 94; n += 1) {
        statuses.push((await users.signIn(email, 'wrong, and long', from(addressOf(n % 14)))).status);
      }
      expect([401, 429].map((wanted) => statuses.filter((status) => status === wanted).length)).toEqual([
        ...[allowed, 94 - allowed],
      ]);
      expect((await users.signIn(email, PASSWORD, from('192.0.2.200'))).status).toBe(200);
      await of.stop();
    },
  );
});
