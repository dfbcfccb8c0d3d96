import { randomBytes } from 'node:crypto';

import { type VisitEventV1, VISITS_TOPIC } from '@hopcount/contracts';
import { buildVisitEvent, newEventId, visitRecord } from '@hopcount/testing';
import { Kafka, logLevel } from 'kafkajs';

import { makeAudience, visitHeaders } from '../harness/audience.js';
import { seededRandom } from '../harness/random.js';
import { FIRST_LINK_ID } from './bench-stack.js';

const BATCH = 2_000;
const VISITORS = 20_000;

export interface VisitProducer {
  /** Resolves when so many more are acknowledged. */
  send(count: number): Promise<void>;
  close(): Promise<void>;
}

export interface VisitsToProduce {
  /** Number of the link of the next visit. */
  nextLink: () => number;
  /** Instant of each, epoch milliseconds; default: now. */
  timeMs?: (index: number) => number;
  seed?: number;
  /** How many there are to come from, some of them often. */
  visitors?: number;
  /** Sees each of them. */
  look?: (visit: VisitEventV1) => void;
}

/** Puts so many new visits into the topic, as a gateway would have. */
export async function produceVisits(brokers: string, count: number, visits: VisitsToProduce): Promise<void> {
  const producer = await openVisitProducer(brokers, visits);
  await producer.send(count);
  await producer.close();
}

/** For visits that are put into the topic little by little. */
export async function openVisitProducer(brokers: string, visits: VisitsToProduce): Promise<VisitProducer> {
  const kafka = new Kafka({ brokers: brokers.split(','), clientId: 'bench-producer', logLevel: logLevel.NOTHING });
  const producer = kafka.producer({ idempotent: false });
  await producer.connect();
  const nextMessage = messagesOf(visits);
  return {
    send: async (count) => {
      for (let done = 0; done < count; done += BATCH) {
        const messages = Array.from({ length: Math.min(BATCH, count - done) }, nextMessage);
        await producer.send({ topic: VISITS_TOPIC, acks: -1, messages });
      }
    },
    close: () => producer.disconnect(),
  };
}

function messagesOf({ nextLink, timeMs = () => Date.now(), seed = 5, visitors = VISITORS, look }: VisitsToProduce) {
  const random = seededRandom(seed);
  const nextVisitor = makeAudience(random, visitors);
  const visitorIds = new Map<object, string>();
  let made = 0;
  return () => {
    const visitor = nextVisitor();
    const headers = visitHeaders(random, visitor);
    if (!visitorIds.has(visitor)) visitorIds.set(visitor, randomBytes(16).toString('base64url'));
    const link = nextLink();
    const visit = buildVisitEvent({
      eventId: newEventId(timeMs(made++)),
      linkId: (FIRST_LINK_ID + BigInt(link)).toString(),
      code: `bench-${link}`,
      visitorId: visitorIds.get(visitor),
      clientIp: anonymised(visitor.address),
      clientIpHash: randomBytes(8).toString('hex'),
      userAgent: headers['user-agent'] ?? null,
      referrer: headers['referer'] ?? null,
      acceptLanguage: headers['accept-language'] ?? null,
      destination: `https://example.com/page/${link}`,
      source: 'bench',
    });
    look?.(visit);
    return visitRecord(visit);
  };
}

/** As a gateway leaves it: /24 and /48. */
function anonymised(address: string): string {
  if (!address.includes(':')) return address.replace(/\d+$/, '0');
  return `${address.split('::')[0]?.split(':').slice(0, 3).join(':') ?? ''}::`;
}
