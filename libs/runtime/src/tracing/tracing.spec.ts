import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

import { afterEach, describe, expect, it } from '@jest/globals';

import { createLogger } from '../logger.js';
import type { EndedSpan, RootOptions } from './local-trace.js';
import { isOneIn, readTraceparent, writeTraceparent } from './trace-context.js';
import { TRACE } from './trace-attributes.js';
import { openTracing, Tracing } from './tracing.js';

const NEVER = 2 ** 32;
const EVENT = '0199c2a0-0000-7000-8000-0000000000ff';

function traced({ oneIn = 1, now = () => 0 }: { oneIn?: number; now?: () => number } = {}) {
  const kept: EndedSpan[][] = [];
  const sink = { take: (spans: readonly EndedSpan[]) => void kept.push([...spans]), close: () => Promise.resolve() };
  const tracing = new Tracing({ tracesOneIn: oneIn, tracesSlowMs: 1_000 }, sink, now);
  const start = (options: Partial<RootOptions> = {}) => tracing.start('redirect', { kind: 'server', ...options });
  return { kept, start };
}

describe('traces', () => {
  it('are kept whole when their root ends: a visit by the id of its event, its steps below the root', () => {
    const { kept, start } = traced();
    const root = start();
    const step = root.step('send visit', 'producer');
    root.nameAfter(EVENT);
    step.end({ [TRACE.durability]: 'kafka' });
    expect(kept).toEqual([]);
    root.end();
    const traceId = EVENT.replaceAll('-', '');
    const [redirect, send] = kept[0]!;
    expect(kept[0]).toMatchObject([
      { name: 'redirect', traceId, parentId: undefined, failure: undefined },
      { name: 'send visit', traceId, parentId: redirect!.spanId, attributes: { [TRACE.durability]: 'kafka' } },
    ]);
    expect(root.headerOf(step)).toBe(`00-${traceId}-${send!.spanId}-01`);
    expect(send!.endedMs).toBeGreaterThanOrEqual(send!.startedMs);
  });

  it('go on with the trace a request brought', () => {
    const { kept, start } = traced();
    const parent = { traceId: 'ab'.repeat(16), spanId: 'cd'.repeat(8), isSampled: false };
    const root = start({ parent });
    root.nameAfter(EVENT);
    root.end();
    expect(kept[0]).toMatchObject([{ traceId: parent.traceId, parentId: parent.spanId }]);
  });

  it('are forgotten unless one in so many, slow or failed; nobody elsewhere is told of those', () => {
    const { kept, start } = traced({ oneIn: NEVER });
    const fast = start({ traceId: '1'.repeat(32) });
    expect(fast.headerOf(fast.step('send'))).toBeUndefined();
    fast.end();
    expect(kept).toHaveLength(0);
    const slow = start({ startedMs: Date.now() - 2_000 });
    slow.end();
    const failed = start();
    failed.fail('503');
    failed.end();
    failed.end();
    expect(kept.map(([root]) => root!.failure)).toEqual([undefined, '503']);
  });

  it('are so many a second at most, and of each so many steps', () => {
    let nowMs = 0;
    const { kept, start } = traced({ now: () => nowMs });
    for (let index = 0; index < 1_000; index += 1) start().end();
    expect(kept).toHaveLength(100);
    nowMs = 1_000;
    const root = start();
    for (let index = 0; index < 1_000; index += 1) root.step('step').end();
    root.end();
    expect(kept[100]).toHaveLength(33);
  });

  it('are not begun, and nothing is loaded, without an address', async () => {
    const about = { process: 'spec', logger: createLogger({ name: 'spec', level: 'silent' }) };
    const settings = { tracesOneIn: 1, tracesSlowMs: 1, hopcountVersion: '1' };
    expect(await openTracing(settings, about)).toBeUndefined();
  });
});

describe('traces sent to Zipkin', () => {
  let server: Server | undefined;
  afterEach(() => void server?.close());

  it('have whole microseconds, the ids they had all along, and say what failed', async () => {
    const bodies: string[] = [];
    server = createServer((request, response) => {
      let body = '';
      request.on('data', (chunk: Buffer) => (body += chunk.toString()));
      request.on('end', () => {
        bodies.push(body);
        response.writeHead(202).end();
      });
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const about = { process: 'spec', logger: createLogger({ name: 'spec', level: 'silent' }) };
    const tracesUrl = `http://127.0.0.1:${port}/api/v2/spans`;
    const tracing = await openTracing(
      { tracesUrl, tracesOneIn: 1, tracesSlowMs: 1_000, hopcountVersion: '1.2' },
      about,
    );
    const root = tracing!.start('redirect', { kind: 'server', startedMs: 1_700_000_000_123.456_7 });
    root.nameAfter(EVENT);
    const step = root.step('send visit', 'producer');
    step.end({}, 'no broker');
    root.end(1_700_000_000_999.999_9);
    await tracing!.close();
    const spans = JSON.parse(bodies[0] ?? '[]') as Record<string, unknown>[];
    const traceId = EVENT.replaceAll('-', '');
    expect(spans).toMatchObject([
      { traceId, name: 'redirect', kind: 'SERVER', timestamp: 1_700_000_000_123_457, duration: 876_543 },
      { traceId, name: 'send visit', kind: 'PRODUCER', id: step.spanId, parentId: spans[0]!['id'] },
    ]);
    expect(spans.every(({ timestamp, duration }) => Number.isInteger(timestamp) && Number.isInteger(duration))).toBe(
      true,
    );
    expect(spans[1]!['tags']).toMatchObject({ error: 'no broker', 'service.version': '1.2' });
    expect(spans[0]!['localEndpoint']).toEqual({ serviceName: 'hopcount-spec' });
  });
});

describe('traceparent', () => {
  it('is read as written, and passed over when it is none', () => {
    const context = { traceId: '0af7651916cd43dd8448eb211c80319c', spanId: 'b7ad6b7169203331', isSampled: true };
    expect(readTraceparent(writeTraceparent(context))).toEqual(context);
    expect(readTraceparent(writeTraceparent({ ...context, isSampled: false }))).toMatchObject({ isSampled: false });
    const wrong = [undefined, '', `00-${'0'.repeat(32)}-b7ad6b7169203331-01`, '00-xyz-b7ad6b7169203331-01'];
    expect(wrong.map(readTraceparent)).toEqual(wrong.map(() => undefined));
  });

  it('keeps one in so many, the same ones everywhere', () => {
    const ids = Array.from({ length: 1_000 }, (_, index) =>
      index.toString(16).padStart(32, 'a'.repeat(24) + '0'.repeat(8)),
    );
    expect(ids.filter((id) => isOneIn(10, id))).toHaveLength(100);
    expect(ids.every((id) => isOneIn(1, id))).toBe(true);
  });
});
