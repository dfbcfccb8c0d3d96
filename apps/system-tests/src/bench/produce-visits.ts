import { randomBytes } from 'node:crypto';

import { VISITS_TOPIC } from '@hopcount/contracts';
import { buildVisitEvent, newEventId, visitRecord } from '@hopcount/testing';
import { Kafka, logLevel } from 'kafkajs';

import { makeAudience, visitHeaders } from '../harness/audience.js';
import { seededRandom } from '../harness/random.js';
import { FIRST_LINK_ID } from './bench-stack.js';

const BATCH = 2_000;
const VISITORS = 20_000;

/**
 * Puts so many new visits into the topic, as a gateway would have: `nextLink` gives the number of the
 * link of each, `timeMs` its instant.
 */
export async function produceVisits(
  brokers: string,
  count: number,
  options: { nextLink: () => number; timeMs?: (index: number) => number; seed?: number },
): Promise<void> {
  const kafka = new Kafka({ brokers: brokers.split(','), clientId: 'bench-producer', logLevel: logLevel.NOTHING });
  const producer = kafka.producer({ idempotent: false });
  await producer.connect();
  const random = seededRandom(options.seed ?? 5);
  const nextVisitor = makeAudience(random, VISITORS);
  const visitorIds = new Map<object, string>();
  const timeMs = options.timeMs ?? (() => Date.now());
  for (let done = 0; done < count; done += BATCH) {
    const messages = Array.from({ length: Math.min(BATCH, count - done) }, (_, index) => {
      const visitor = nextVisitor();
      const headers = visitHeaders(random, visitor);
      if (!visitorIds.has(visitor)) visitorIds.set(visitor, randomBytes(16).toString('base64url'));
      const link = options.nextLink();
      const visit = buildVisitEvent({
        eventId: newEventId(timeMs(done + index)),
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
      return visitRecord(visit);
    });
    await producer.send({ topic: VISITS_TOPIC, acks: -1, messages });
  }
  await producer.disconnect();
}

/** As a gateway leaves it: /24 and /48. */
function anonymised(address: string): string {
  if (!address.includes(':')) return address.replace(/\d+$/, '0');
  return `${address.split('::')[0]?.split(':').slice(0, 3).join(':') ?? ''}::`;
}
