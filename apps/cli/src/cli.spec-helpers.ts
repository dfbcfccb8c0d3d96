import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { decodeVisitEvent, eventIdTimeMs, UNKNOWN } from '@hopcount/contracts';
import { Database } from '@hopcount/postgres';
import type { EnrichedVisit } from '@hopcount/ledger';
import { type ReadRecord, serviceAddress, type TestDatabase, type TestTopic } from '@hopcount/testing';

import { run } from './run.js';

/** As jest.config.mjs: commands of tests find no stack, whatever runs in this checkout. */
export const NO_STACK = join(tmpdir(), 'hopcount-no-stack');

export interface CliResult {
  code: number;
  stdout: string;
  stderr: string;
}

/** Runs command lines in this process, on the given database and the test run's Kafka. */
export function cliOn(database: TestDatabase, settings: Record<string, string> = {}) {
  return async (argv: string[], environment: Record<string, string> = {}): Promise<CliResult> => {
    const output = { stderr: '' };
    const chunks: Buffer[] = [];
    const addresses = {
      DATABASE_URL: database.url,
      KAFKA_BROKERS: serviceAddress('KAFKA_BROKERS'),
      REDIS_URL: serviceAddress('REDIS_URL'),
      HOPCOUNT_OPERATOR: 'spec',
      HOPCOUNT_DATA_DIR: NO_STACK,
    };
    const streams = {
      stdout: { write: (data: string | Uint8Array) => chunks.push(Buffer.from(data as Uint8Array)) },
      stderr: { write: (text: string) => (output.stderr += text) },
    };
    const code = await run(argv, { ...addresses, ...settings, ...environment }, streams);
    return { code, stdout: Buffer.concat(chunks).toString(), stderr: output.stderr };
  };
}

/**
 * A consumer for specs: what is in the topic beyond the checkpoints goes through VisitCommitter, the
 * one place that counts. What does not decode is passed over.
 */
export class SpecConsumer {
  private constructor(
    private readonly database: Database,
    private readonly topic: TestTopic,
    private readonly group: string,
  ) {}

  static async on(server: TestDatabase, topic: TestTopic, group: string): Promise<SpecConsumer> {
    const database = await Database.connect({ url: server.url, applicationName: 'spec-consumer', poolSize: 2 });
    return new SpecConsumer(database, topic, group);
  }

  /** Reads what is there now and commits it, a batch for each partition. */
  async readOn(): Promise<void> {
    const { PartitionCheckpoints, VisitCommitter } = await import('@hopcount/ledger');
    const committer = new VisitCommitter(this.database, { slots: 8 });
    const checkpoints = new PartitionCheckpoints(this.database);
    const records = await this.topic.readAll();
    for (let partition = 0; partition < this.topic.partitions; partition += 1) {
      const checkpoint = await checkpoints.takeOwnership(
        { group: this.group, topic: this.topic.name, partition },
        'spec',
      );
      const fresh = records.filter((one) => one.partition === partition && BigInt(one.offset) >= checkpoint.nextOffset);
      const last = fresh.at(-1);
      const nextOffset = last === undefined ? checkpoint.nextOffset : BigInt(last.offset) + 1n;
      await committer.commit({ checkpoint, nextOffset, lastRecordAtMs: Date.now(), visits: fresh.flatMap(toVisit) });
    }
  }

  /** Reads on until `work` is done, as a consumer beside it would. */
  async beside<T>(work: Promise<T>): Promise<T> {
    let done = false;
    const ended = work.finally(() => (done = true));
    ended.catch(() => undefined); // is thrown by the last line
    while (!done) {
      await this.readOn();
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    return ended;
  }

  close(): Promise<void> {
    return this.database.close();
  }
}

function toVisit(record: ReadRecord): EnrichedVisit[] {
  const decoded = decodeVisitEvent(record.value);
  if (decoded.outcome !== 'ok') return [];
  const { eventId, linkId, source } = decoded.visit;
  return [
    {
      eventId,
      occurredAtMs: eventIdTimeMs(eventId),
      linkId,
      class: 'human',
      visitor: '-42',
      ip: '77',
      clientIp: null,
      latitude: null,
      longitude: null,
      country: UNKNOWN,
      region: UNKNOWN,
      city: UNKNOWN,
      os: 'Linux',
      osVersion: null,
      browser: 'Firefox',
      browserVersion: null,
      device: 'desktop',
      network: UNKNOWN,
      referrerHost: 'example.org',
      language: 'en',
      targetHost: 'example.com',
      shortHost: 's.test',
      referrer: null,
      userAgent: null,
      destination: null,
      route: null,
      channel: 'direct',
      classReason: 'person',
      utm: null,
      truncated: [],
      source,
    },
  ];
}
