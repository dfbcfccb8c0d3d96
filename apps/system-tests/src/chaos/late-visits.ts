import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

import { type ShortUrl, VISITS_TOPIC } from '@hopcount/contracts';
import { buildVisitEvent, newEventId, visitRecord } from '@hopcount/testing';
import { Kafka, logLevel, type Producer } from 'kafkajs';

import { type Random, seededRandom, zipfPicker } from '../harness/random.js';
import type { VisitorLoad } from '../harness/visitor-load.js';

/** Kafka client id: faults of gateways' or consumers' networks spare it. */
export const LATE_VISITS = 'late-visits';

const HOUR_MS = 3_600_000;
const PAUSE_MS = 600;
const AT_ONCE = 12;
/** Most are of the last hours, which today's files hold; the others come to days that become files of days and months, and the ledger still has them. */
const RECENT_HOURS = 6;
const ALL_HOURS = 40 * 24;

export interface LateVisitsParts {
  brokers: string;
  links: readonly Pick<ShortUrl, 'id' | 'shortCode'>[];
  load: Pick<VisitorLoad, 'acknowledged' | 'inDoubt'>;
  seed: number;
  /** Between two batches of visits; each is of one hour, which is then sealed again. */
  pauseMs?: number;
}

/**
 * Visits of hours that are closed, put into the topic as a gateway that was away for long would do with its spool. So
 * hours are sealed, added to and merged all the time.
 */
export class LateVisits {
  readonly #stopping = new AbortController();
  readonly #nextLink: () => number;
  #turn = 0;
  #running: Promise<void> = Promise.resolve();

  private constructor(
    private readonly producer: Producer,
    private readonly parts: LateVisitsParts,
    private readonly random: Random,
    private readonly partitions: number,
  ) {
    this.#nextLink = zipfPicker(random, parts.links.length);
  }

  static async start(parts: LateVisitsParts): Promise<LateVisits> {
    const kafka = new Kafka({
      brokers: parts.brokers.split(','),
      clientId: LATE_VISITS,
      logLevel: logLevel.NOTHING,
    });
    const admin = kafka.admin();
    await admin.connect();
    const { length } = await admin.fetchTopicOffsets(VISITS_TOPIC);
    await admin.disconnect();
    const producer = kafka.producer({ idempotent: false });
    await producer.connect();
    const visits = new LateVisits(producer, parts, seededRandom(parts.seed), length);
    visits.#running = visits.#run();
    return visits;
  }

  /** Resolves when the last ones are acknowledged or in doubt. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
    await this.producer.disconnect();
  }

  /** So many into one hour that began `hoursAgo` before this one. @returns their ids, if Kafka acknowledged them */
  async send(count: number, hoursAgo: number, link?: number): Promise<string[]> {
    const hour = (Math.floor(Date.now() / HOUR_MS) - hoursAgo) * HOUR_MS;
    const visits = Array.from({ length: count }, () => {
      const { id: linkId, shortCode: code } = this.parts.links[link ?? this.#nextLink()] ?? { id: '', shortCode: '' };
      const eventId = newEventId(hour + Math.floor(this.random() * HOUR_MS));
      const utm = { source: LATE_VISITS, medium: null, campaign: null, term: null, content: randomUUID() };
      return buildVisitEvent({ eventId, linkId, code, utm, source: LATE_VISITS });
    });
    const { acknowledged, inDoubt } = this.parts.load;
    // All to one, as gateways do: of several kafkajs leaves some out when a leader moves meanwhile, and resolves.
    const partition = (this.#turn += 1) % this.partitions;
    const messages = visits.map((visit) => ({ ...visitRecord(visit), partition }));
    try {
      await this.producer.send({ topic: VISITS_TOPIC, acks: -1, messages });
    } catch {
      for (const { utm } of visits) inDoubt.add(utm?.content ?? '');
      return [];
    }
    for (const { eventId, code } of visits) acknowledged.set(eventId, code);
    return visits.map(({ eventId }) => eventId);
  }

  async #run(): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      const hours = this.random() < 0.6 ? RECENT_HOURS : ALL_HOURS;
      await this.send(AT_ONCE, 1 + Math.floor(this.random() * hours));
      await sleep(this.parts.pauseMs ?? PAUSE_MS);
    }
  }
}
