import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { visitListSchema } from '@hopcount/contracts';
import { type EnrichedVisit } from '@hopcount/ledger';
import { enrichedVisit, openLedger } from '@hopcount/ledger/spec-helpers';

import { TestApi } from '../api.spec-helpers.js';

const START = Date.parse('2026-11-01T10:00:00Z');

describe('visits of tags, domains and all short URLs over REST', () => {
  let api: TestApi;
  let commit: Awaited<ReturnType<typeof openLedger>>;

  /** A minute between two visits; the last one is a bot's. */
  const visit = async (linkId: string, minutes: readonly number[]) => {
    const visits = minutes.map((minute, nth): EnrichedVisit =>
      enrichedVisit({ linkId, atMs: START + minute * 60_000, class: nth === minutes.length - 1 ? 'bot' : 'human' }),
    );
    await commit(visits);
  };
  const create = async (body: Record<string, unknown>) =>
    (await api.create({ longUrl: 'https://example.com/', ...body })).body['id'] as string;

  beforeAll(async () => {
    api = await TestApi.start();
    commit = await openLedger(api.resources.database);
    await visit(await create({ customSlug: 'one', tags: ['Foo', 'bar'] }), [0, 10, 20]);
    await visit(await create({ customSlug: 'two', tags: ['foo'], domain: 'o.test' }), [5, 15]);
    await visit(await create({ customSlug: 'three' }), [30, 31]);
    await api.request('DELETE', '/rest/v3/short-urls/three');
  });
  afterAll(() => api.stop());

  const list = async (path: string) => {
    const { status, body } = await api.get(path);
    expect([path, status]).toEqual([path, 200]);
    const { data, pagination } = visitListSchema.parse(body).visits;
    const urls = data.map(({ visitedUrl, date }) => `${visitedUrl?.slice('http://'.length)} ${date.slice(14, 16)}`);
    return { urls, total: pagination.totalItems };
  };

  it('are listed newest first, each with the address that was opened', async () => {
    expect(await list('visits/non-orphan')).toEqual({
      urls: [
        ...['s.test/three 31', 's.test/three 30', 's.test/one 20', 'o.test/two 15', 's.test/one 10', 'o.test/two 05'],
        's.test/one 00',
      ],
      total: 7,
    });
    expect(await list('tags/foo/visits')).toEqual({
      urls: ['s.test/one 20', 'o.test/two 15', 's.test/one 10', 'o.test/two 05', 's.test/one 00'],
      total: 5,
    });
    expect(await list('tags/FOO/visits?domain=o.test')).toEqual({ urls: ['o.test/two 15', 'o.test/two 05'], total: 2 });
    expect(await list('domains/DEFAULT/visits?itemsPerPage=2&page=2')).toEqual({
      urls: ['s.test/one 20', 's.test/one 10'],
      total: 5,
    });
    expect((await list('domains/S.test/visits')).total).toBe(5);
    expect((await list('domains/o.test/visits?excludeBots=true')).total).toBe(1);
    expect((await list('visits/non-orphan?domain=o.test&startDate=2026-11-01T10:10:00Z')).urls).toEqual([
      'o.test/two 15',
    ]);
    expect((await list('tags/bar/visits?domain=unknown.test')).total).toBe(0);
    expect((await list('visits/non-orphan?domain=unknown.test')).total).toBe(0);
  });

  it('of what nobody knows are 404, and name it', async () => {
    expect((await api.get('tags/nothing/visits')).body).toMatchObject({
      ...{ status: 404, type: 'https://shlink.io/api/error/tag-not-found', tag: 'nothing' },
    });
    expect((await api.get('tags/%00/visits')).body).toMatchObject({ status: 404, tag: '\u0000' });
    expect((await api.get('domains/unknown.test/visits')).body).toMatchObject({
      ...{ status: 404, type: 'https://shlink.io/api/error/domain-not-found', authority: 'unknown.test' },
    });
    expect((await api.get('domains/%F0%9F%A6%A3%20/visits')).status).toBe(404);
    expect((await api.get('domains/DEFAULT/visits?domain=o.test')).body).toMatchObject({ invalidElements: ['domain'] });
  });
});
