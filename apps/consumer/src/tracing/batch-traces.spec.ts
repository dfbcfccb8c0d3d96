import type { RecordBatch } from '@hopcount/kafka';
import { TRACE, Tracing } from '@hopcount/runtime';
import { describe, expect, it } from '@jest/globals';

import { BatchTraces } from './batch-traces.js';

type Kept = Parameters<ConstructorParameters<typeof Tracing>[1]['take']>[0];

const TRACE_ID = '0199c2a00000700080000000000000c8'; // ends in 200
const header = (traceId = TRACE_ID, flags = '01') => `00-${traceId}-b7ad6b7169203331-${flags}`;

function batchOf(headers: (string | undefined)[]): RecordBatch {
  const records = headers.map((traceparent, index) => ({
    ...{ offset: BigInt(index), key: Buffer.from(`event-${index}`), value: null, timestampMs: 0 },
    headers: traceparent === undefined ? {} : { traceparent: Buffer.from(traceparent) },
  }));
  return { topic: 'visits', partition: 3, records, highWatermark: 0n };
}

function opened(oneIn: number) {
  const kept: Kept[] = [];
  const sink = { take: (spans: Kept) => void kept.push(spans), close: () => Promise.resolve() };
  const traces = new BatchTraces(new Tracing({ tracesOneIn: oneIn, tracesSlowMs: 60_000 }, sink), oneIn);
  return { kept, traces };
}

describe('BatchTraces', () => {
  it('goes on with the trace of each visit that has one, up to its commit; the batch links to them', async () => {
    const { kept, traces } = opened(1);
    const work = () => traces.step(3, 'commit', () => Promise.resolve(7));
    expect(await traces.around(batchOf([undefined, header()]), work)).toBe(7);
    const visit = kept.find(([root]) => root!.name === 'count visit')!;
    const batch = kept.find(([root]) => root!.name === 'process visits')!;
    expect(visit).toMatchObject([
      { traceId: TRACE_ID, parentId: 'b7ad6b7169203331', attributes: { [TRACE.eventId]: 'event-1' } },
      { name: 'commit', traceId: TRACE_ID, parentId: visit[0]!.spanId },
    ]);
    expect(batch).toMatchObject([
      { links: [{ traceId: TRACE_ID }], attributes: { [TRACE.messages]: 2 } },
      { name: 'commit' },
    ]);
    expect(visit[0]!.attributes[TRACE.batchTrace]).toBe(batch[0]!.traceId);
  });

  it('leaves alone what is not sampled, or not one of so many here', async () => {
    const { kept, traces } = opened(200);
    const others = [header(TRACE_ID, '00'), header(TRACE_ID.replace(/c8$/, 'c9')), 'nonsense', undefined];
    await traces.around(batchOf([...others, header()]), () => Promise.resolve());
    expect(kept.filter(([root]) => root!.name === 'count visit')).toHaveLength(1);
  });

  it('keeps a batch that failed, and says why', async () => {
    const { kept, traces } = opened(2 ** 32);
    const failing = traces.around(batchOf([header()]), () => Promise.reject(new Error('fenced')));
    await expect(failing).rejects.toThrow('fenced');
    expect(kept).toMatchObject([[{ name: 'process visits', failure: 'fenced' }]]);
  });
});
