import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { answerOf, createHopcountClient } from '@hopcount/client';
import { PROBLEMS } from '@hopcount/contracts';

import { testApiKey } from '@hopcount/testing';
import { Ajv2020 } from 'ajv/dist/2020.js';

import { ApiModule } from '../api.module.js';
import { TestApi } from '../api.spec-helpers.js';
import { findOperations } from '../http/find-operations.js';
import { createDocument } from './document.js';
import { documentedExamples, EXAMPLE_DOMAIN, makeExamples } from './examples.spec-helpers.js';

interface Operation {
  operationId: string;
  security?: unknown[];
  parameters: { name: string; in: string }[];
  requestBody?: { content: { 'application/json': { schema: { properties: object } } } };
  responses: Record<string, { content: Record<string, { schema: { $ref?: string } }> }>;
}

let api: TestApi;
let document: Record<string, unknown> & { paths: Record<string, Record<string, Operation>> };
let components: { schemas: Record<string, unknown>; securitySchemes: Record<string, unknown> };

beforeAll(async () => {
  api = await TestApi.start({ DEFAULT_DOMAIN: EXAMPLE_DOMAIN });
  const answer = await fetch(`${api.url}/rest/openapi.json`);
  expect(answer.status).toBe(200);
  document = (await answer.json()) as typeof document;
  components = document['components'] as typeof components;
});
afterAll(() => api.stop());

describe('the OpenAPI document', () => {
  it('is version 3.1 and describes every v3 route and nothing else', () => {
    expect(document['openapi']).toBe('3.1.0');
    const served = api.resources.routes
      .all()
      .filter(({ method, url }) => method !== 'HEAD' && /^\/rest\/v3\//.test(url))
      .map(({ method, url }) => `${method} ${url.replace(/:(\w+)/g, '{$1}')}`);
    const described = Object.entries(document.paths).flatMap(([path, operations]) =>
      Object.keys(operations).map((method) => `${method.toUpperCase()} ${path}`),
    );
    expect(described.sort()).toEqual(served.sort());
    expect(described).toContain('GET /rest/v3/short-urls/{code}/stats');
  });

  it('has answers, problems and keys on each operation, and no dangling reference', () => {
    const operations = Object.values(document.paths).flatMap((path) => Object.values(path));
    expect(new Set(operations.map((operation) => operation.operationId)).size).toBe(operations.length);
    for (const operation of operations) {
      const done = operation.responses['200'] ?? operation.responses['202'];
      const [answer] = Object.values(done?.content ?? {});
      const isEmpty = operation.responses['204'] !== undefined || operation.responses['303'] !== undefined;
      if (!isEmpty) expect(answer?.schema.$ref).toMatch(/^#\/components\/schemas\//);
      else expect(operation.responses).not.toHaveProperty('200');
      if (/^(health|followVisits|signIn|acceptInvite|\w+ProviderSignIn)$/.test(operation.operationId)) continue;
      expect(Object.keys(operation.responses)).toEqual(expect.arrayContaining(['400', '401', '500', '503']));
      if (/Sessions?$|ShareLinks?$|^signOut$|^changePassword$|SecondFactor$/.test(operation.operationId)) {
        expect(operation.security).toEqual([{ session: [] }]);
        continue;
      }
      const scope = [expect.stringMatching(/^(admin|(links|statistics|visits|hosts):[a-z]+)$/)];
      const others = operation.operationId === 'shorten' ? [{ apiKeyInQuery: scope }] : [];
      const shared = /^getVis(ited|its)(Totals|Series|Dimension|Matrix|Links)$/.test(operation.operationId)
        ? [{ shareLink: [] }]
        : [];
      expect(operation.security).toEqual([{ apiKey: scope }, ...others, { session: scope }, ...shared]);
    }
    for (const [, name] of JSON.stringify(document).matchAll(/"#\/components\/schemas\/(\w+)"/g)) {
      expect(Object.keys(components.schemas)).toContain(name);
    }
    // Nothing that only a schema of its own may say.
    expect(JSON.stringify(document)).not.toMatch(/"\$(id|schema)"/);
    expect(components.securitySchemes).toEqual({
      apiKey: { type: 'apiKey', in: 'header', name: 'X-Api-Key' },
      apiKeyInQuery: { type: 'apiKey', in: 'query', name: 'apiKey' },
      session: { type: 'apiKey', in: 'cookie', name: '__Host-hopcount' },
      shareLink: { type: 'apiKey', in: 'header', name: 'X-Share-Token' },
    });
  });

  it('tells of every problem there is', () => {
    for (const { type } of Object.values(PROBLEMS)) expect(JSON.stringify(document)).toContain(type);
  });

  it('names the parameters that are read', () => {
    const names = (path: string) => document.paths[path]?.['get']?.parameters.map((parameter) => parameter.name).sort();
    expect(names('/rest/v3/short-urls/{code}/stats')).toEqual(
      ['code', 'domain', 'range', 'startDate', 'endDate', 'timeZone', 'interval', 'period'].sort(),
    );
    const created = document.paths['/rest/v3/short-urls']?.['post'];
    expect(created?.parameters).toEqual([expect.objectContaining({ name: 'Idempotency-Key', in: 'header' })]);
    const bodyOf = (path: string) => document.paths[path]?.['post']?.requestBody?.content['application/json'].schema;
    expect(bodyOf('/rest/v3/short-urls/batch')?.properties).toMatchObject({
      shortUrls: { maxItems: 1_000, items: bodyOf('/rest/v3/short-urls') },
    });
    expect(names('/rest/v3/short-urls')).toEqual(expect.arrayContaining(['tags[]', 'orderBy', 'itemsPerPage']));
  });
});

describe('examples of the document', () => {
  /** They differ from run to run: of when it was asked, of ids given out in time, of how it was read. */
  const ASIDE = [
    'countedUpTo',
    'pending',
    'readFrom',
    'dateCreated',
    'id',
    'enrichmentVersion',
    'since',
    'until',
    'perSecond',
  ];
  const examples = documentedExamples(createDocument(findOperations(ApiModule)) as never);
  let key: string;

  beforeAll(async () => {
    await makeExamples(api);
    ({ key } = await testApiKey(api.database, { scopes: ['links:read', 'links:write', 'statistics:read'] }));
  });

  it('are there for everything that statistics answer as JSON', () => {
    const asked = new Set(examples.map(({ operation }) => operation));
    const statistics = findOperations(ApiModule).filter(
      ({ tag, contentType }) => tag === 'Statistics' && contentType !== 'text/event-stream',
    );
    expect(statistics.filter(({ id }) => !asked.has(id))).toEqual([]);
  });

  it.each(examples)('$operation, $name: is answered so', async ({ method, path, body, answer, schema, isOfNow }) => {
    const given = await api.request(method, path, { body, headers: { 'x-api-key': key } });
    expect([path, given.status]).toEqual([path, 200]);
    const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: false });
    const isValid = ajv.addSchema(document, 'api').compile({ $ref: `api${schema}` });
    expect([isValid(given.body), isValid.errors]).toEqual([true, null]);
    expect([isValid(answer), isValid.errors]).toEqual([true, null]);
    const aside = isOfNow ? [...ASIDE, 'startDate', 'endDate'] : ASIDE;
    const said = (all: unknown) =>
      JSON.parse(JSON.stringify(all, (name, value: unknown) => (aside.includes(name) ? undefined : value))) as unknown;
    expect(said(given.body)).toEqual(said(answer));
  });
});

describe('the client made of the document', () => {
  it('asks what is written in its types, and answers or throws', async () => {
    const client = createHopcountClient({ baseUrl: api.url, apiKey: api.apiKey });
    const body = { longUrl: 'https://example.com/', customSlug: 'käse & co', tags: ['by-client'] };
    const { shortCode } = await answerOf(client.POST('/rest/v3/short-urls', { body }));
    const path = { code: shortCode };
    const found = await answerOf(client.GET('/rest/v3/short-urls/{code}', { params: { path } }));
    expect(found).toMatchObject({ shortCode, tags: ['by-client'] });
    const query = {
      startDate: '2026-05-04',
      endDate: '2026-05-10',
      'filter[]': ['country=DE', 'country=FR', 'class=human'],
    };
    const { totals } = await answerOf(client.GET('/rest/v3/statistics/totals', { params: { query } }));
    expect(totals.visits).toBe(4);
    expect(await answerOf(client.DELETE('/rest/v3/short-urls/{code}', { params: { path } }))).toBeUndefined();
    const gone = answerOf(client.GET('/rest/v3/short-urls/{code}', { params: { path } }));
    await expect(gone).rejects.toMatchObject({ status: 404, problem: { type: PROBLEMS['short-url-not-found'].type } });
    const csv = { params: { path: { name: 'country' }, query: { ...query, format: 'csv' } }, parseAs: 'text' } as const;
    expect(await answerOf(client.GET('/rest/v3/statistics/dimensions/{name}', csv))).toBe('value,visits\nDE,3\nFR,1\n');
  });
});

describe('the page', () => {
  it('loads everything from this server, under a policy without inline scripts', async () => {
    const page = await fetch(`${api.url}/rest/docs`);
    const html = await page.text();
    expect(page.headers.get('content-security-policy')).toContain("script-src 'self';");
    expect(page.headers.get('referrer-policy')).toBe('no-referrer');
    expect(html).not.toMatch(/https?:\/\/|<script>/);
    for (const [, path] of html.matchAll(/(?:src|href)="(\/[^"]+)"/g)) {
      const part = await fetch(`${api.url}${path}`);
      expect([path, part.status]).toEqual([path, 200]);
      expect((await part.text()).length).toBeGreaterThan(50);
    }
  });
});
