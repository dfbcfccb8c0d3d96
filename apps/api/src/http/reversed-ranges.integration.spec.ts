import { RANGE_PRESETS } from '@hopcount/contracts';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { TestApi } from '../api.spec-helpers.js';
import { TestUsers } from '../users/users.spec-helpers.js';

type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';
interface Parameter {
  name: string;
  in: string;
  required?: boolean;
  schema?: { enum?: string[]; items?: { enum?: string[] } };
}
interface Operation {
  operationId: string;
  parameters?: Parameter[];
  requestBody?: unknown;
}

const OF_PATH: Record<string, string> = {
  code: 'fresh',
  shortCode: 'fresh',
  dimension: 'country',
  tag: 'sale',
  domain: 'DEFAULT',
  groupId: 'none',
  kind: 'target',
  host: 'example.com',
  name: 'example.com',
  rows: 'country',
  columns: 'browser',
};
const RANGES: [string, string][] = [
  ['startDate=2026-09-10&endDate=2026-09-09', 'reversed by one day'],
  ['startDate=2026-09-10&endDate=2026-08-01', 'reversed by more'],
  ['startDate=2026-09-10T10:00:00Z&endDate=2026-09-10T09:00:00Z', 'reversed by an hour'],
  ['startDate=2026-09-10T10:00:60Z&endDate=2026-09-11T00:00:00Z', 'from second 60'],
  ['startDate=2026-09-01&endDate=2026-09-31', 'to 31 September'],
  ['startDate=2026-09-10T10:00:00%2B24:00&endDate=2026-09-12', 'from an offset of 24 hours'],
];

/** Instants that no calendar has, and texts that are no instants. */
const NO_MOMENTS = [
  ...['2026-09-10T10:00:60Z', '2026-09-10T24:00:00Z', '2026-09-10T10:60:00Z', '2026-02-30', '2026-02-29T10:00:00Z'],
  ...['2026-13-01', '2026-09-10T10:00:00+24:00', '2026-09-10T10:00:00+05:60', '2026-9-1', '1789000000', 'yesterday'],
];
/** Fields of bodies that are moments, by the operations that take them. */
const BODIES: Record<string, [method: string, path: string, fields: string[], body: (fields: object) => unknown]> = {
  createShortUrl: ['POST', 'short-urls', ['validSince', 'validUntil'], (fields) => ({ ...TARGET, ...fields })],
  createShortUrls: [
    'POST',
    'short-urls/batch',
    ['validSince', 'validUntil'],
    (fields) => ({ shortUrls: [{ ...TARGET, ...fields }] }),
  ],
  editShortUrl: ['PATCH', 'short-urls/fresh', ['validSince', 'validUntil'], (fields) => fields],
  createApiKey: [
    'POST',
    'api-keys',
    ['expirationDate'],
    (fields) => ({ name: 'x', scopes: ['links:read'], ...fields }),
  ],
  createShareLink: ['POST', 'share-links', ['expirationDate'], (fields) => ({ name: 'x', ...fields })],
};
const TARGET = { longUrl: 'https://example.com/' };
/** They take the same fields as they are answered, and ignore them. */
const SENT_BACK = ['moveShortUrls'];

describe('a range that cannot be', () => {
  let api: TestApi;
  let users: TestUsers;
  let owner: Awaited<ReturnType<TestUsers['create']>>;
  let operations: Operation[];
  let paths: [string, Operation, Method][];
  beforeAll(async () => {
    api = await TestApi.start();
    users = new TestUsers(api);
    owner = await users.create({ role: 'owner' });
    await api.create({ longUrl: 'https://example.com', customSlug: 'fresh', tags: ['sale'] });
    const { body } = await api.request('GET', '/rest/openapi.json');
    const all = Object.entries(body['paths'] as Record<string, Partial<Record<Method, Operation>>>).flatMap(
      ([path, ofPath]) =>
        (['get', 'post', 'put', 'patch', 'delete'] as const).flatMap((method): [string, Operation, Method][] => {
          const operation = ofPath[method];
          return operation === undefined ? [] : [[path, operation, method]];
        }),
    );
    operations = all.map(([, operation]) => operation);
    const names = (operation: Operation) => operation.parameters?.map(({ name }) => name) ?? [];
    paths = all.filter(([, one]) => names(one).includes('startDate') || names(one).includes('endDate'));
  });
  afterAll(() => api.stop());

  it('is asked of every route that takes a range', () => {
    expect(paths.length).toBeGreaterThan(15);
  });

  it.each(RANGES)('is 400 of every route, with its reason: %s, %s', async (range) => {
    const answers = await ask(range);
    expect(answers).toEqual(
      paths.map(([path]) => ({
        path,
        status: 400,
        type: expect.stringContaining('invalid-range'),
        invalid: expect.anything(),
      })),
    );
  });

  it.each(NO_MOMENTS)('is 400 of every route that is named what is no moment: %s', async (moment) => {
    for (const name of ['startDate', 'endDate']) {
      const expected = { status: 400, type: expect.stringContaining('invalid-range'), invalid: [name] };
      expect(await ask(`${name}=${encodeURIComponent(moment)}`)).toEqual(
        paths.map(([path]) => ({ path, ...expected })),
      );
    }
  });

  it.each(RANGE_PRESETS)('takes the word %s wherever it takes dates', async (word) => {
    const answers = await ask(`range=${word}`);
    expect(answers.filter(({ status }) => status === 400)).toEqual([]);
    // Had any of them left the word unread, dates beside it would be no mistake.
    const refused = { status: 400, type: expect.stringContaining('invalid-data'), invalid: ['range'] };
    expect(await ask(`range=${word}&startDate=2026-09-10`)).toEqual(paths.map(([path]) => ({ path, ...refused })));
  });

  it('refuses a word that names no range', async () => {
    const refused = { status: 400, type: expect.stringContaining('invalid-data'), invalid: ['range'] };
    expect(await ask('range=someday')).toEqual(paths.map(([path]) => ({ path, ...refused })));
  });

  it('is asked of every operation that takes a moment in its body', () => {
    const takes = operations.filter(({ requestBody = null }) =>
      /"(validSince|validUntil|expirationDate|startDate|endDate)":/.test(JSON.stringify(requestBody)),
    );
    expect(takes.map(({ operationId }) => operationId).sort()).toEqual([...Object.keys(BODIES), ...SENT_BACK].sort());
  });

  it.each(NO_MOMENTS)('is 400 in every body, and the field is named: %s', async (moment) => {
    const { cookie } = owner;
    for (const [method, path, fields, body] of Object.values(BODIES))
      for (const field of fields) {
        const { body: answer } = await users.ask(path, { method, cookie, body: body({ [field]: moment }) });
        // Of a batch each link has an answer of its own.
        const [ofOne] = (answer['results'] ?? []) as { problem: unknown }[];
        const problem = { status: 400, invalidElements: [expect.stringContaining(field)] };
        expect([path, field, ofOne?.problem ?? answer]).toEqual([path, field, expect.objectContaining(problem)]);
      }
  });

  async function ask(range: string) {
    const answers: { path: string; status: number; type: unknown; invalid: unknown }[] = [];
    for (const [path, { parameters = [] }, method] of paths) {
      const filled = path.replace(/\{(\w+)\}/g, (_, name: string) =>
        path.includes('/dimensions/') ? 'country' : (OF_PATH[name] ?? name),
      );
      const required = parameters
        .filter((one) => one.in === 'query' && one.required === true)
        .map(({ name, schema }) => `${name}=${schema?.enum?.[0] ?? OF_PATH[name] ?? 'x'}`);
      const target = `${filled}?${[range, ...required].join('&')}`;
      const { status, body } = await api.request(method.toUpperCase(), target);
      answers.push({ path, status, type: body['type'], invalid: body['invalidElements'] });
    }
    return answers;
  }
});
