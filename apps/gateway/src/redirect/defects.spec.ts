import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

import type { Resolution } from '@hopcount/links';
import { AppError, createLogger, Registry } from '@hopcount/runtime';
import { describe, expect, it } from '@jest/globals';

import { createGatewayMetrics } from '../gateway.metrics.js';
import { GuardedLinks } from '../guard/guarded-links.js';
import type { Waiter } from '../visits/visit-publisher.js';
import { AnswerWriter } from './answer-writer.js';
import { RedirectHandler, type RedirectParts } from './redirect-handler.js';

const link = { id: '1', version: '1', domain: 'a.test', code: 'x' };
const decision = { outcome: 'redirect', link, status: 302, location: 'https://b.test/', cacheControl: 'no-store' };
const record = { key: '019a0000-1234-7000-8000-0000000000ff', value: '', headers: {} };

const defect = () => {
  throw new TypeError('a defect');
};
const defectLater = () => Promise.reject(new TypeError('a defect'));
const away = (code: 'link-lookup-failed' | 'limit-undecided') => () =>
  Promise.reject(new AppError(code, 'PostgreSQL is away', { retryable: true }));

/** Parts of a gateway whose link works, but for what is given. */
function partsWith(given: Record<string, unknown>): RedirectParts {
  const nothing = () => undefined;
  return {
    resolver: { peek: nothing, resolve: () => Promise.resolve({ outcome: 'found', link } as unknown as Resolution) },
    facts: { visit: () => ({ record, visitor: { key: '' }, clicks: 0 }), forRules: nothing },
    publisher: { accept: (_: unknown, waiter: Waiter) => waiter.durable('kafka') },
    redirects: { of: () => ({ decide: () => decision, needsPlace: false, ...(given['compiled'] as object) }) },
    limits: { ask: () => Promise.resolve(true) },
    useReturns: { giveBack: nothing, end: nothing },
    orphans: { admit: () => false },
    limiter: { isOn: false, noteNotFound: nothing },
    places: {},
    ...given,
  } as unknown as RedirectParts;
}

/** Status, log lines and count of defects of one request. */
async function meet(given: Record<string, unknown>, method: 'GET' | 'POST') {
  const lines: { level: number; err?: { message: string }; path?: string }[] = [];
  const log = createLogger({ name: 'spec', level: 'warn' }, () => ({
    write: (line) => void lines.push(JSON.parse(line) as (typeof lines)[0]),
  }));
  const { tally } = createGatewayMetrics(new Registry());
  const origin = { host: () => 'a.test', address: () => undefined, scheme: () => 'http' as const };
  const answers = new AnswerWriter({ tally, health: { isDraining: false }, logger: log, origin });
  const parts = { ...partsWith(given), answers, tally };
  const handler = new RedirectHandler(parts, origin as never, {
    visitDurabilityFailure: 'refuse',
    shortUrlTrailingSlash: false,
    cdnCacheSeconds: 0,
  });
  const guarded = new GuardedLinks(parts as never, origin as never, { signing: ['x'.repeat(32)] } as never);
  const server = createServer((request: IncomingMessage, response: ServerResponse) =>
    method === 'GET' ? handler.handle(request, response) : guarded.submit(request, response),
  ).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const { status } = await fetch(`http://127.0.0.1:${port}/x?password=1`, { method, redirect: 'manual' });
  server.closeAllConnections();
  server.close();
  return { status, lines, defects: tally.defects };
}

describe('a request for a link', () => {
  it.each<[string, Record<string, unknown>, ('GET' | 'POST')?]>([
    ['looking it up', { resolver: { peek: () => undefined, resolve: defectLater } }],
    ['compiling its rules', { redirects: { of: defect } }],
    ['choosing a rule', { compiled: { decide: defect } }],
    ['describing the visit', { facts: { visit: defect, forRules: () => undefined } }],
    ['asking for its limit', { compiled: { usedUp: {} }, limits: { ask: defectLater } }],
    ['after taking a use', { compiled: { usedUp: {} }, facts: { visit: defect } }],
    ['tracing the sent visit', { traces: { resolving: () => undefined, sent: defect } }],
    ['reading a form', { resolver: { peek: defect } }, 'POST'],
  ])('that meets a defect in %s is answered 503, logged and counted', async (_where, given, method = 'GET') => {
    const { status, lines, defects } = await meet(given, method);
    expect([status, defects]).toEqual([503, 1]);
    expect(lines).toMatchObject([{ level: 50, err: { message: 'a defect' }, path: '/x' }]);
  });

  it.each<[string, Record<string, unknown>, ('GET' | 'POST')?]>([
    ['its look-up', { resolver: { peek: () => undefined, resolve: away('link-lookup-failed') } }],
    ['its limit', { compiled: { usedUp: {} }, limits: { ask: away('limit-undecided') } }],
    ['a form', { resolver: { peek: () => undefined, resolve: away('link-lookup-failed') } }, 'POST'],
  ])(
    'that PostgreSQL does not answer for %s is answered 503 and is no defect',
    async (_what, given, method = 'GET') => {
      const { status, lines, defects } = await meet(given, method);
      expect([status, lines, defects]).toEqual([503, [], 0]);
    },
  );

  it('that meets none is answered', async () => {
    expect(await meet({}, 'GET')).toEqual({ status: 302, lines: [], defects: 0 });
  });
});
