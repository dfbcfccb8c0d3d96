import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { TestApi } from '../api.spec-helpers.js';

interface Parameter {
  name: string;
  in: string;
  required?: boolean;
  schema?: { enum?: string[]; items?: { enum?: string[] } };
}
type Operation = { parameters?: Parameter[] };

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

describe('a range that cannot be', () => {
  let api: TestApi;
  let paths: [string, Operation][];
  beforeAll(async () => {
    api = await TestApi.start();
    await api.create({ longUrl: 'https://example.com', customSlug: 'fresh', tags: ['sale'] });
    const { body } = await api.request('GET', '/rest/openapi.json');
    const all = Object.entries(body['paths'] as Record<string, { get?: Operation }>);
    const has = (operation: Operation, name: string) => operation.parameters?.some((one) => one.name === name) === true;
    paths = all.flatMap(([path, { get }]): [string, Operation][] =>
      get !== undefined && has(get, 'startDate') && has(get, 'endDate') ? [[path, get]] : [],
    );
  });
  afterAll(() => api.stop());

  it('is asked of every route that takes a range', () => {
    expect(paths.length).toBeGreaterThan(15);
  });

  it.each(RANGES)('is 400 of every route, with its reason: %s, %s', async (range) => {
    const answers: unknown[] = [];
    for (const [path, { parameters = [] }] of paths) {
      const filled = path.replace(/\{(\w+)\}/g, (_, name: string) =>
        path.includes('/dimensions/') ? 'country' : (OF_PATH[name] ?? name),
      );
      const required = parameters
        .filter((one) => one.in === 'query' && one.required === true)
        .map(({ name, schema }) => `${name}=${schema?.enum?.[0] ?? OF_PATH[name] ?? 'x'}`);
      const { status, body } = await api.get(
        `${filled.replace(/^\/rest\/v3\//, '')}?${[range, ...required].join('&')}`,
      );
      answers.push({ path, status, type: body['type'] });
    }
    expect(answers).toEqual(
      paths.map(([path]) => ({ path, status: 400, type: expect.stringContaining('invalid-range') })),
    );
  });
});
