import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { TestApi } from '../../api.spec-helpers.js';

let api: TestApi;

beforeAll(async () => {
  api = await TestApi.start();
  await api.create({ longUrl: 'https://example.com', customSlug: 'Été à la mer' });
  await api.create({ longUrl: 'https://example.com', customSlug: 'there', domain: 'go.example.com' });
});
afterAll(() => api.stop());

const HERE = '/rest/v2/short-urls/%C3%89t%C3%A9-%C3%A0-la-mer';
const THERE = '/rest/v3/short-urls/there?domain=go.example.com';
const patch = (path: string, body: object) => api.request('PATCH', path, { body });

describe('fields of the creation in an edit', () => {
  it.each<[string, string, object]>([
    [
      'nothing, as the apps send it',
      HERE,
      { customSlug: null, domain: null, findIfExists: false, shortCodeLength: null },
    ],
    ['blank', HERE, { customSlug: '', domain: ' ', pathPrefix: '' }],
    ['what the short URL has', HERE, { customSlug: 'Été-à-la-mer', domain: 's.test', shortCodeLength: 12 }],
    [
      'what it was created with',
      HERE,
      { customSlug: ' E\u0301te\u0301 a\u0300 la mer ', domain: 'DEFAULT', shortCodeLength: 5 },
    ],
    ['a slug in two parts', HERE, { pathPrefix: 'Été ', customSlug: 'à la mer' }],
    ['its beginning', HERE, { pathPrefix: 'Été', shortCodeLength: 9 }],
    ['a search for another one', HERE, { findIfExists: true, validateUrl: false }],
    ['its domain in another spelling', THERE, { customSlug: 'there', domain: ' GO.Example.com. ' }],
    ['no domain', THERE, { domain: null }],
  ])('that say %s change nothing: %s %j', async (_, path, body) => {
    const before = await api.get(path.replace(/^\/rest\/v\d\//, ''));
    const title = `Title ${Math.random()}`;
    const { status, body: after } = await patch(path, { ...body, title });
    expect([status, after]).toEqual([200, { ...before.body, title }]);
  });

  it.each<[string, string, object, string[]]>([
    ['another slug', HERE, { customSlug: 'other' }, ['customSlug']],
    ['a slug in another case', HERE, { customSlug: 'été-à-la-mer' }, ['customSlug']],
    ['another domain', HERE, { domain: 'go.example.com' }, ['domain']],
    ['the default domain', THERE, { domain: 's.test' }, ['domain']],
    ['another beginning', HERE, { pathPrefix: 'x' }, ['pathPrefix']],
    ['another length', HERE, { shortCodeLength: 5 }, ['shortCodeLength']],
    [
      'all of it',
      HERE,
      { customSlug: 'x', domain: 'x.example', pathPrefix: 'y' },
      ['customSlug', 'pathPrefix', 'domain'],
    ],
  ])('that ask for %s are refused by name, and nothing changes: %s %j', async (_, path, body, fields) => {
    const before = await api.get(path.replace(/^\/rest\/v\d\//, ''));
    const refused = await patch(path, { ...body, title: 'Refused' });
    expect([refused.status, refused.body['type'], refused.body['invalidElements']]).toEqual([
      ...[422, 'urn:hopcount:problem:read-only-field', fields],
    ]);
    const after = await api.get(path.replace(/^\/rest\/v\d\//, ''));
    expect([after.body, after.headers.get('etag')]).toEqual([before.body, before.headers.get('etag')]);
  });

  it.each([{ findIfExists: 'yes' }, { customSlug: 7 }, { shortCodeLength: 'long' }, { domain: [] }])(
    'of another type are malformed: %j',
    async (body) => {
      expect((await patch(HERE, body)).body['invalidElements']).toEqual(Object.keys(body));
    },
  );
});
