import { testZipkin, type TestZipkin, waitUntil, type ZipkinSpan } from '@hopcount/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { call } from '../harness/http.js';
import { LinksApi } from '../harness/links.js';
import { type RunningStack, startStack } from '../harness/stack.js';

const START_MS = 300_000;
const WITHIN = { timeoutMs: 60_000, everyMs: 500 };
/** `count visit` and `commit`, the last ones, are of the consumer. */
const SPANS = ['redirect', 'resolve link', 'send visit', 'count visit', 'commit'];

describe('traces in Zipkin', () => {
  let zipkin: TestZipkin;
  let stack: RunningStack;
  let visit: (headers?: Record<string, string>) => Promise<string>;

  beforeAll(async () => {
    zipkin = await testZipkin();
    stack = await startStack({ env: { TRACES_URL: zipkin.url, TRACES_ONE_IN: '1' } });
    const api = new LinksApi(stack.file);
    visit = async (headers = {}) => {
      // A link that this gateway does not know yet, so that it has to be looked up.
      const link = await api.create({ longUrl: 'https://example.com/traced' });
      const asked = { host: new URL(link.shortUrl).host, ...headers };
      const answer = await call(`${stack.file.gatewayUrl}/${link.shortCode}?email=a@example.com`, { headers: asked });
      expect(answer.status).toBe(302);
      return String(answer.headers['x-visit-id']);
    };
  }, START_MS);
  afterAll(async () => {
    await stack?.stop();
    await zipkin?.close();
  }, START_MS);

  const wholeTrace = async (traceId: string) => {
    let spans: ZipkinSpan[] = [];
    const isWhole = async () => (spans = await zipkin.trace(traceId)).length >= SPANS.length;
    await waitUntil(isWhole, { ...WITHIN, describe: `the trace ${traceId}` });
    return spans;
  };
  /** Each with its parents, the outermost first. */
  const paths = (spans: readonly ZipkinSpan[]) => {
    const byId = new Map(spans.map((span) => [span.id, span]));
    const pathOf = (span: ZipkinSpan): string => {
      const parent = byId.get(span.parentId ?? '');
      return `${parent === undefined ? '' : `${pathOf(parent)} > `}${span.name}`;
    };
    return spans.map(pathOf).sort();
  };
  const PATHS = [
    'redirect',
    'redirect > resolve link',
    'redirect > send visit',
    'redirect > send visit > count visit',
    'redirect > send visit > count visit > commit',
  ];

  it('show a visit from the request to its commit, by the id of the visit', async () => {
    const eventId = await visit();
    const spans = await wholeTrace(eventId.replaceAll('-', ''));
    expect(paths(spans)).toEqual(PATHS);
    const of = (name: string) => spans.find((span) => span.name === name)!;
    expect([of('redirect'), of('count visit')].map((span) => span.localEndpoint.serviceName)).toEqual([
      'hopcount-gateway',
      'hopcount-consumer',
    ]);
    expect(of('redirect').tags).toMatchObject({ 'http.response.status_code': '302', 'hopcount.event.id': eventId });
    expect(of('count visit').tags).toMatchObject({ 'hopcount.event.id': eventId });
    expect(JSON.stringify(spans)).not.toContain('example.com');
    const [batch] = await zipkin.trace(String(of('count visit').tags?.['hopcount.batch.trace_id']));
    expect(batch?.name).toMatch(/process visits|commit/);
  });

  it('go on with the trace a visitor came with', async () => {
    const traceId = '0af7651916cd43dd8448eb211c80319c';
    await visit({ traceparent: `00-${traceId}-b7ad6b7169203331-01` });
    const spans = await wholeTrace(traceId);
    expect(paths(spans)).toEqual(PATHS);
    expect(spans.find(({ name }) => name === 'redirect')?.parentId).toBe('b7ad6b7169203331');
  });

  it('lose nothing when nobody takes them', async () => {
    await zipkin.close();
    await visit();
    expect((await call(`${stack.file.opsUrls.gateway[0]!}/readyz`)).status).toBe(200);
  });
});
