import { buildVisitEvent, newEventId } from '@hopcount/testing';
import { createLogger, KeyPeriods } from '@hopcount/runtime';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import { AnswerQuestions } from './answer-questions.js';
import { createPrepareHere } from './prepare-here.js';
import { type Answers, packValues, unpackValues } from './thread-messages.js';
import { createVisitSteps } from './visit-steps.js';

const NOW_MS = Date.now();

let failures = 0;
const steps = createVisitSteps({
  geoSources: [],
  networks: [{ find: () => 'AS64500 Example' }],
  hashKeys: { hashing: 'a secret of at least 32 characters', keyPeriods: new KeyPeriods([]) },
  ledgerDays: 400,
  onLookupFailure: () => (failures += 1),
  logger: createLogger({ name: 'test', level: 'silent' }),
});

const thread = () => new AnswerQuestions(steps, () => failures);
const prepare = async (questions: AnswerQuestions, batch: number, values: readonly (Buffer | null)[]) =>
  handedOver(
    (await questions.answer({ kind: 'prepare', batch, packed: handedOver(packValues(values)) })) as Answers['prepare'],
  );
/** As a message between threads arrives. */
const handedOver = <Message>(message: Message): Message => structuredClone(message);

const anyVisit = fc
  .record({
    linkId: fc.constantFrom('7', '70', '123456789012345678'),
    ageMs: fc.integer({ min: 0, max: 3_600_000 }),
    referrer: fc.constantFrom(null, 'https://example.org/ä"\\', 'https://t.co/1'),
    userAgent: fc.constantFrom(null, 'Googlebot/2.1', 'Mozilla/5.0 (X11; Linux x86_64; rv:130.0) Firefox/130.0'),
    utm: fc.constantFrom(null, { source: 'a\u0001b', medium: null, campaign: null, term: null, content: null }),
  })
  .map(({ ageMs, ...fields }) => visit({ ...fields, eventId: newEventId(NOW_MS - ageMs) }));
const anyValue = fc.oneof(
  { weight: 6, arbitrary: anyVisit },
  fc.constantFrom(null, Buffer.from(''), Buffer.from('{'), Buffer.from('{"version":2}')),
  fc.constant(visit({ eventId: newEventId(NOW_MS - 500 * 86_400_000) })),
);
/** Some records are there twice. */
const anyBatch = fc.array(anyValue, { maxLength: 30 }).map((values) => [...values, ...values.slice(0, 3)]);

function visit(overrides: Parameters<typeof buildVisitEvent>[0] = {}): Buffer {
  return Buffer.from(JSON.stringify(buildVisitEvent(overrides)));
}

describe('a thread that prepares batches', () => {
  it('hands over what preparing them in the same thread gives', async () => {
    await fc.assert(
      fc.asyncProperty(anyBatch, async (values) => {
        const here = await createPrepareHere(steps)(values);
        const { prepared, indexes, eventIds, refused } = await prepare(thread(), 1, values);
        expect({ indexes, eventIds, refused }).toEqual({
          indexes: here.indexes,
          eventIds: here.eventIds,
          refused: here.refused,
        });
        expect(prepared).toEqual(here.visits.prepared);
        expect(indexes.length + refused.length).toBe(values.length);
      }),
      { numRuns: 60 },
    );
  });

  it('hands over single visits and hours of hot links of a batch it holds, as those here are', async () => {
    const values = Array.from({ length: 20 }, (_, n) => visit({ linkId: String(1 + (n % 3)) }));
    const { visits } = await createPrepareHere(steps)(values);
    const questions = thread();
    const { prepared } = await prepare(questions, 4, values);
    for (const which of [{ eventIds: new Set(prepared.eventIds.slice(5, 9)) }, { linkIds: new Set(['2']) }]) {
      const picked = await questions.answer(handedOver({ kind: 'pick', batch: 4, which }));
      expect(handedOver(picked)).toEqual(await visits.pick(which));
    }
    const foldedFrom = new Map([['1', 0]]);
    const hours = await questions.answer({ kind: 'fold', batch: 4, foldedFrom });
    expect(hours).toEqual(await visits.foldHours(foldedFrom));
    expect(hours).not.toEqual([]);
  });

  it('answers a transaction while it prepares another batch', async () => {
    const questions = thread();
    const { eventIds } = await prepare(questions, 1, [visit()]);
    const order: string[] = [];
    const many = questions
      .answer({ kind: 'prepare', batch: 2, packed: packValues(Array.from({ length: 2_000 }, () => visit())) })
      .then(() => order.push('prepared'));
    const one = questions
      .answer({ kind: 'pick', batch: 1, which: { eventIds: new Set(eventIds) } })
      .then(() => order.push('picked'));
    await Promise.all([many, one]);
    expect(order).toEqual(['picked', 'prepared']);
  });

  it('knows nothing of a batch that was released', async () => {
    const questions = thread();
    await prepare(questions, 1, [visit()]);
    questions.release(1);
    const asked = async () => questions.answer({ kind: 'fold', batch: 1, foldedFrom: new Map() });
    await expect(asked()).rejects.toThrow('batch 1 is not held');
  });
});

describe('values of records in one piece of memory', () => {
  it('come out as they went in, null and empty ones too', () => {
    const anyBytes = fc.option(fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes)));
    fc.assert(
      fc.property(fc.array(anyBytes), (values) => {
        expect(unpackValues(handedOver(packValues(values)))).toEqual(values);
      }),
    );
  });
});
