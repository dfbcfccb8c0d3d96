import { HOST_KINDS } from '@hopcount/contracts';
import { HostFold, readDoubted, SumsSweep, trustSums } from '@hopcount/ledger';
import { enrichedVisit, openLedger } from '@hopcount/ledger/spec-helpers';
import { waitUntil } from '@hopcount/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { z } from 'zod';

import { ApiModule } from '../api.module.js';
import { TestApi } from '../api.spec-helpers.js';
import { findOperations } from '../http/find-operations.js';
import { TestUsers } from '../users/users.spec-helpers.js';

const JUNE = 'startDate=2026-06-01&endDate=2026-06-30';
const SCOPES = ['', 'shortCode=sale', 'tag=spring', 'group=team', 'domain=s.test'];
const OF_SCOPES = [
  'totals?',
  'totals?uniques=all&',
  'series?interval=day&',
  'dimensions/country?',
  'dimensions/firstSeen?',
  'links?',
  'matrix?rows=hour&columns=weekday&',
  'proof?',
  'explain?',
];
const SHARED = ['totals?', 'series?', 'dimensions/country?', 'links?', 'matrix?rows=hour&columns=weekday&'].map(
  (path) => `statistics/${path}shortCode=sale&${JUNE}`,
);
/** By the path of the operation, for each whose answer says whether it is exact. */
const ASKED: Record<string, string[]> = {
  ...Object.fromEntries(
    ['totals', 'series', 'links', 'matrix', 'proof', 'explain', 'dimensions/:name'].map((path) => {
      const [name = ''] = path.split('/');
      const ofName = OF_SCOPES.filter((asked) => asked.startsWith(name));
      return [
        `/rest/v3/statistics/${path}`,
        ofName.flatMap((asked) => SCOPES.map((scope) => `statistics/${asked}${JUNE}&${scope}`)),
      ];
    }),
  ),
  '/rest/v3/short-urls/:code/stats': [`short-urls/sale/stats?${JUNE}`],
  '/rest/v3/hosts/:kind': ['hosts/target', 'hosts/target?by=site', 'hosts/target?orderBy=window', 'hosts/fed'],
  '/rest/v3/hosts/:kind/:host': [
    `hosts/target/example.net?${JUNE}`,
    `hosts/target/net?scope=subtree&${JUNE}`,
    `hosts/target/~rest?${JUNE}`,
    'hosts/target/example.net?period=allTime',
    'hosts/target/~rest?period=allTime',
  ],
  '/rest/v3/hosts/:kind/:host/series': [`hosts/target/example.net/series?${JUNE}`],
  '/rest/v3/hosts/:kind/compare': [`hosts/target/compare?names=example.net,~rest&${JUNE}`],
};

/** The last minutes are counted visit by visit. */
const OF_VISITS_ALONE = '/rest/v3/statistics/live';

/** Of another kind of host than any that is asked for: no answer is made of it. */
const DAMAGE = `UPDATE host_traffic SET class = 4 - class WHERE ctid = (
  SELECT ctid FROM host_traffic WHERE kind = ${HOST_KINDS.indexOf('referrer')} ORDER BY bucket LIMIT 1)`;

describe('while sums are known to be wrong', () => {
  let api: TestApi;
  let token: string;

  beforeAll(async () => {
    api = await TestApi.start();
    await api.database.query(`INSERT INTO groups (id, name) VALUES ('team', 'Team')`);
    const link = { longUrl: 'https://example.net/', customSlug: 'sale', tags: ['spring'], groupId: 'team' };
    const { body } = await api.create(link);
    const visit = { linkId: String(body['id']), groupId: 'team', targetHost: 'example.net' };
    const commit = await openLedger(api.resources.database);
    const start = Date.parse('2026-06-10T10:00:00Z');
    await commit(Array.from({ length: 20 }, (_, n) => enrichedVisit({ ...visit, atMs: start + n * 3_600_000 })));
    await new HostFold(api.resources.database).fold();
    const users = new TestUsers(api);
    const { cookie } = await users.create({ role: 'owner' });
    const expirationDate = new Date(Date.now() + 86_400_000).toISOString();
    const shared = { name: 'shared', expirationDate, shortCode: 'sale' };
    token = String((await users.ask('share-links', { method: 'POST', cookie, body: shared })).body['token']);
  });
  afterAll(() => api.stop());

  it('every operation that says whether its answer is exact is asked here', () => {
    const isExactSaid = (answer: z.ZodType | null) =>
      answer !== null && JSON.stringify(z.toJSONSchema(answer, { unrepresentable: 'any' })).includes('"exact":');
    const paths = findOperations(ApiModule).filter(({ answer }) => isExactSaid(answer));
    expect(paths.map(({ path }) => path).sort()).toEqual([...Object.keys(ASKED), OF_VISITS_ALONE].sort());
  });

  it('no answer of their range, and none of all time by host, is exact: also as a file, and of who has a share link', async () => {
    const { database } = api.resources;
    const asked = Object.values(ASKED).flat();
    const files = ['series', 'links'].map((name) => `statistics/${name}?${JUNE}&format=csv`);
    const read = async (path: string, headers: Record<string, string> = {}) => {
      const answer = await api.get(path, headers);
      expect([path, answer.status]).toEqual([path, 200]);
      const said = answer.headers.get('x-statistics');
      const { exact, hosts } = (said === null ? answer.body : JSON.parse(said)) as { exact?: boolean; hosts?: object };
      return [path, exact ?? (hosts as { exact?: boolean }).exact];
    };
    const readAll = async () => {
      const answers = [await read('hosts/target/net', { accept: 'text/plain' })];
      for (const path of [...asked, ...files]) answers.push(await read(path));
      for (const path of SHARED) answers.push(await read(path, { 'x-api-key': '', 'x-share-token': token }));
      return answers;
    };
    const expectAll = async (value: boolean) => {
      // Sums of all time are answered from memory, as of a second ago.
      const isInMemory = async () => (await read('hosts/target/example.net?period=allTime'))[1] === value;
      await waitUntil(isInMemory, { describe: `a total whose exactness is ${value}` });
      expect((await readAll()).filter(([, exact]) => exact !== value)).toEqual([]);
    };
    await expectAll(true);
    await api.database.query(DAMAGE);
    await expectAll(true);
    const doubted = async () => {
      await new SumsSweep(database).step();
      return readDoubted(database);
    };
    const found = await doubted();
    expect(found).toMatchObject({ checks: ['hosts'] });
    await expectAll(false);
    await api.database.query(DAMAGE);
    await trustSums(database, found, { archived: true });
    expect(await doubted()).toBeUndefined();
    await expectAll(true);
  });
});
