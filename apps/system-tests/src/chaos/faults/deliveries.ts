import { setTimeout as sleep } from 'node:timers/promises';

import { DEAD_LETTER_TOPIC, VISITS_TOPIC } from '@hopcount/contracts';
import { buildVisitEvent, visitRecord, waitUntil } from '@hopcount/testing';
import { Kafka, logLevel, type Message } from 'kafkajs';

import { DuplicateDeliveries } from '../../harness/duplicate-deliveries.js';
import { flushRedis } from '../../harness/redis.js';
import { rewindStatisticsGroup } from '../../harness/replay.js';
import type { Fault } from '../fault.js';
import type { World } from '../world.js';

const DUPLICATES_MS = 6_000;
const REPLAYED_WITHIN_MS = 240_000;

const duplicates: Fault = {
  name: 'duplicates',
  rows: ['F7'],
  inject: async ({ stack }) => {
    const deliveries = await DuplicateDeliveries.start(stack.file.kafkaBrokers, 5, { fromBeginning: false });
    await sleep(DUPLICATES_MS);
    await waitUntil(() => deliveries.elsewhere > 0, { describe: 'a duplicate goes to another partition' });
    await deliveries.stop();
    return { proof: () => Promise.resolve({ what: 'records delivered again', count: deliveries.sent }) };
  },
};

/** The group is put back to the first offset of every partition: all of the topic comes again. */
function replay(name: string, emptyRedis: boolean): Fault {
  return {
    name,
    rows: ['F8'],
    inject: async (world) => {
      const { stack, counters } = world;
      await stack.hold('consumer');
      const hits = await counters.since('hopcount_visits_dedupe_hits_total');
      const wanted = await counted(world);
      try {
        const offsets = await rewindStatisticsGroup(stack.file);
        if (Math.max(...offsets) > 0) throw new Error('the group was not put back');
        if (emptyRedis) await flushRedis(stack.file.redisUrl);
      } finally {
        await stack.resume('consumer');
      }
      await waitUntil(async () => (await hits()) >= wanted * 0.95, {
        timeoutMs: REPLAYED_WITHIN_MS,
        everyMs: 500,
        describe: `${wanted} visits are recognised again`,
      });
      return { proof: async () => ({ what: 'replayed visits found counted already', count: await hits() }) };
    },
  };
}

async function counted({ ledger, links }: World): Promise<number> {
  const { ledger: visits } = await ledger.sums(links.map((link) => link.id));
  return [...visits.values()].reduce((sum, count) => sum + count, 0);
}

/** One batch: records nobody can count, each between two visits that must be counted all the same. */
const poison: Fault = {
  name: 'poison',
  rows: ['F21', 'F25', 'F27'],
  inject: async ({ stack, links, load }) => {
    const kafka = new Kafka({
      brokers: stack.file.kafkaBrokers.split(','),
      clientId: 'poison',
      logLevel: logLevel.NOTHING,
    });
    const [admin, producer] = [kafka.admin(), kafka.producer({ idempotent: false })];
    await Promise.all([admin.connect(), producer.connect()]);
    const deadLetters = async () => {
      const ends = await admin.fetchTopicOffsets(DEAD_LETTER_TOPIC);
      return ends.reduce((sum, { offset }) => sum + Number(offset), 0);
    };
    const before = await deadLetters();
    const link = links[0] as (typeof links)[number];
    const visit = (overrides: object = {}) => buildVisitEvent({ linkId: link.id, code: link.shortCode, ...overrides });
    // A lone surrogate has no UTF-8, but says nothing against the visit: it must be counted, too.
    const neighbours = Array.from({ length: POISON.length + 1 }, () => visit({ referrer: 'https://\ud800.example/' }));
    const messages = POISON.flatMap((spoil, index): Message[] => [
      visitRecord(neighbours[index] ?? visit()),
      { key: `poison-${index}`, value: spoil(visit()) },
    ]);
    messages.push(visitRecord(neighbours.at(-1) ?? visit()));
    await producer.send({ topic: VISITS_TOPIC, acks: -1, messages: messages.map((one) => ({ ...one, partition: 0 })) });
    for (const { eventId } of neighbours) load.acknowledged.set(eventId, link.shortCode);
    await producer.disconnect();
    return {
      proof: async () => {
        await waitUntil(async () => (await deadLetters()) - before >= POISON.length, {
          timeoutMs: 30_000,
          describe: `${POISON.length} dead letters`,
        });
        const count = (await deadLetters()) - before;
        await admin.disconnect();
        return { what: 'dead letters', count };
      },
    };
  },
};

type Visit = ReturnType<typeof buildVisitEvent>;

const POISON: ((visit: Visit) => string | Buffer | null)[] = [
  () => '{"version":1,',
  () => null,
  () => Buffer.from([0xff, 0xfe, 0x00, 0x01]),
  (visit) => JSON.stringify({ ...visit, version: 99 }),
  (visit) => JSON.stringify({ ...visit, linkId: 5 }),
  (visit) => JSON.stringify({ ...visit, eventId: 'no id' }),
  (visit) => JSON.stringify({ ...visit, userAgent: 'a\u0000b' }),
  (visit) => JSON.stringify({ ...visit, eventId: `00000000-0000-7${visit.eventId.slice(15)}`, occurredAt: 0 }),
];

export const DELIVERY_FAULTS: Fault[] = [
  duplicates,
  replay('replay', false),
  replay('replay-with-empty-redis', true),
  poison,
];
