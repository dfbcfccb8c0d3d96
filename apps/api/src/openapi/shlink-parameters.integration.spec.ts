import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { TestApi } from '../api.spec-helpers.js';

let api: TestApi;

beforeAll(async () => {
  api = await TestApi.start();
  await api.create({ longUrl: 'https://example.com/', customSlug: 'there', tags: ['foo'] });
});
afterAll(() => api.stop());

const VISITS =
  'page=1&itemsPerPage=10&startDate=2026-01-01T00:00:00%2B00:00&endDate=2027-01-01T00:00:00%2B00:00&excludeBots=true';

/** Every query parameter that an operation has in one of the documents of Shlink 1.0 to 5.1, where the operation is still there. */
const PARAMETERS: Readonly<Record<string, string>> = {
  'GET short-urls':
    'apiKeyName=x&domain=DEFAULT&startDate=2026-01-01T00:00:00%2B00:00&endDate=2027-01-01T00:00:00%2B00:00&excludeMaxVisitsReached=true' +
    '&excludePastValidUntil=true&excludeTagsMode=any&excludeTags[]=x&itemsPerPage=5&orderBy=dateCreated-DESC&page=1&searchTerm=x&tagsMode=any&tags[]=x',
  'GET short-urls/shorten': 'longUrl=https://example.com/&format=json',
  'GET short-urls/there': 'domain=s.test',
  'PATCH short-urls/there': 'domain=s.test',
  'GET short-urls/there/redirect-rules': 'domain=s.test',
  'POST short-urls/there/redirect-rules': 'domain=s.test',
  'GET short-urls/there/visits': `${VISITS}&domain=s.test`,
  'GET tags': 'page=1&itemsPerPage=10&searchTerm=x&orderBy=tag-ASC&withStats=true',
  'GET tags/stats': 'page=1&itemsPerPage=10&searchTerm=x&orderBy=visits-DESC',
  'GET tags/foo/visits': `${VISITS}&domain=s.test`,
  'GET domains/DEFAULT/visits': VISITS,
  'GET visits/non-orphan': `${VISITS}&domain=s.test`,
  'GET visits/orphan': `${VISITS}&domain=s.test&type=base_url`,
  'DELETE tags': 'tags[]=nothing',
  'DELETE short-urls/there/visits': 'domain=s.test',
};

const DEVICES = { android: null, ios: null, desktop: null };

describe('a client of Shlink', () => {
  it.each(
    Object.entries(PARAMETERS).flatMap(([route, query]) =>
      ['v1', 'v2', 'v3'].map((version) => [route, version, query]),
    ),
  )('asks %s in %s with every parameter that its documents had', async (route, version, query) => {
    const [method = '', path = ''] = route?.split(' ') ?? [];
    const body = { POST: { redirectRules: [] }, PATCH: {} }[method];
    const key = path.endsWith('shorten') ? `&apiKey=${api.apiKey}` : '';
    const answer = await api.request(method, `/rest/${version}/${path}?${query}${key}`, { body });
    expect([answer.status < 300, answer.body['invalidElements']]).toEqual([true, undefined]);
  });

  it('of 3.5 to 3.7 names no target of its own for devices', async () => {
    const created = await api.create({ longUrl: 'https://example.com/', deviceLongUrls: DEVICES, validateUrl: true });
    expect(created.status).toBe(200);
    const edited = await api.request('PATCH', '/rest/v3/short-urls/there', { body: { deviceLongUrls: { ios: null } } });
    expect(edited.status).toBe(200);
    const { status, body } = await api.create({
      longUrl: 'https://example.com/',
      deviceLongUrls: { ...DEVICES, ios: 'https://example.com/ios' },
    });
    expect([status, body['reasons']]).toEqual([
      400,
      [{ field: 'deviceLongUrls.ios', reason: expect.stringContaining('redirect rule') }],
    ]);
  });
});
