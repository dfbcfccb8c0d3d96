import { text } from 'node:stream/consumers';

import { startSourceProcess } from '@hopcount/testing';
import { expect, it } from '@jest/globals';

/**
 * Visits of 64 clients, each of which comes again once it is answered. Kafka acknowledges in the next turn, but for the first: while
 * its batch is under way the young heap is collected a few times.
 */
const SCRIPT = `
  import v8 from 'node:v8';
  import { createLogger, Histogram } from '@hopcount/runtime';
  import { KafkaState } from './apps/gateway/src/visits/kafka-state.ts';
  import { VisitPublisher } from './apps/gateway/src/visits/visit-publisher.ts';

  v8.setFlagsFromString('--trace-gc-nvp');
  const state = new KafkaState(createLogger({ name: 'memory', level: 'silent' }));
  state.recovered();
  let isFirst = true;
  const kafka = {
    async publish() {
      for (let turn = 0; turn < 3; turn += 1) await new Promise(setImmediate);
      if (isFirst) for (let n = 0; n < 2e6; n += 1) globalThis.garbage = { n, more: [n] };
      isFirst = false;
    },
  };
  const metrics = { produceSeconds: new Histogram({ name: 's', help: 's', registers: [] }), produceFailures: { inc() {} } };
  const audit = { durable() {}, lost() {} };
  const options = { topic: 't', maxEvents: 1000, ackTimeoutMs: 10000 };
  const publisher = new VisitPublisher(kafka, {}, state, { metrics, audit }, options);
  let left = 300_000;
  const visit = () => {
    if ((left -= 1) < 0) return;
    const facts = Array.from({ length: 40 }, (_, n) => ({ n, left }));
    publisher.accept({ key: '019ab1f0-0000-7000-8000-000000000000', value: 'v', headers: {} }, {
      durable: () => facts.length && setImmediate(visit),
      lost() {},
    });
  };
  for (let client = 0; client < 64; client += 1) setTimeout(visit, client);
`;

/** As the gateway has it, from the start: later V8 only follows when the heap next grows. */
const YOUNG_HEAP = ['--max-semi-space-size=8'];

it('what a visit needs is gone with the first collection after it, however many came before', async () => {
  const child = startSourceProcess(SCRIPT, { flags: YOUNG_HEAP, stdio: ['ignore', 'pipe', 'inherit'] });
  const lines = (await text(child.stdout as NonNullable<typeof child.stdout>)).split('\n');
  const collections = lines.filter((line) => line.includes('"gc":"s"'));
  const sum = (field: string) =>
    collections.reduce((total, line) => total + Number(new RegExp(`"${field}":([0-9]+)`).exec(line)?.[1]), 0);
  expect(collections.length).toBeGreaterThan(50);
  // With a Set of the batches under way it was a tenth, and the heap grew by it until the next full collection.
  expect(sum('promoted') / sum('allocated')).toBeLessThan(0.02);
});
