import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { JobKind } from '@hopcount/contracts';
import {
  type EnrichedVisit,
  type JobRecord,
  OperatorJobs,
  PartitionCheckpoints,
  StatisticsVerifier,
  VisitCommitter,
} from '@hopcount/ledger';
import { Database } from '@hopcount/postgres';
import {
  serviceAddress,
  startSourceProcess,
  testDatabase,
  type TestDatabase,
  testTopic,
  type TestTopic,
  waitUntil,
} from '@hopcount/testing';

import type { RunningWorker } from '../worker.js';
import { startTestWorker } from '../worker.spec-helpers.js';

type Environment = Record<string, string>;

/** Operators' jobs on a database and topics of their own, with the workers that run them. */
export class JobsSpec {
  readonly jobs: OperatorJobs;
  readonly #workers: RunningWorker[] = [];

  private constructor(
    readonly server: TestDatabase,
    readonly database: Database,
    readonly visits: TestTopic,
    readonly letters: TestTopic,
  ) {
    this.jobs = new OperatorJobs(database);
  }

  static async open(): Promise<JobsSpec> {
    const [server, visits, letters] = await Promise.all([
      testDatabase(),
      testTopic({ partitions: 1, label: 'visits' }),
      testTopic({ partitions: 1, label: 'letters' }),
    ]);
    const database = await Database.connect({ url: server.url, applicationName: 'operator-jobs-spec' });
    return new JobsSpec(server, database, visits, letters);
  }

  async close(): Promise<void> {
    await this.stopWorkers();
    await this.database.close();
    await Promise.all([this.server.drop(), this.visits.delete(), this.letters.delete()]);
  }

  /** What the consumer does. */
  async count(visits: readonly EnrichedVisit[], nextOffset: bigint): Promise<void> {
    const ref = { group: `group-${this.visits.name}`, topic: this.visits.name, partition: 0 };
    const checkpoint = await new PartitionCheckpoints(this.database).takeOwnership(ref, 'spec');
    const batch = { checkpoint, nextOffset, lastRecordAtMs: Date.now(), visits };
    await new VisitCommitter(this.database, { slots: 8 }).commit(batch);
  }

  async differences(): Promise<number> {
    return (await new StatisticsVerifier(this.database).verify()).differences.length;
  }

  async start(environment: Environment = {}): Promise<void> {
    const own = { DEAD_LETTER_TOPIC: this.letters.name, ...environment };
    this.#workers.push(await startTestWorker({ topic: this.visits.name, database: this.server, environment: own }));
  }

  async stopWorkers(): Promise<void> {
    await Promise.all(this.#workers.splice(0).map((worker) => worker.stop()));
  }

  async reach(id: string, ...states: string[]): Promise<void> {
    await waitUntil(async () => states.includes((await this.jobs.get(id)).state), {
      describe: `job ${id} to be ${states.join(' or ')}`,
      timeoutMs: 60_000,
    });
  }

  async ended(id: string): Promise<JobRecord> {
    await this.reach(id, 'done', 'mismatch', 'failed');
    return this.jobs.get(id);
  }

  async planned(kind: JobKind, parameters = {}): Promise<JobRecord> {
    const { id } = await this.jobs.add(kind, parameters, 'spec');
    await this.reach(id, 'planned', 'failed');
    return this.jobs.get(id);
  }

  /** A worker in a process of its own, which the failpoint kills. @returns what it wrote, and the signal that ended it */
  async killedAt(point: string, nth: number, environment: Environment = {}): Promise<[string, unknown]> {
    const failpoints = mkdtempSync(join(tmpdir(), 'failpoints-'));
    writeFileSync(join(failpoints, point), `kill:${nth}`);
    const child = startSourceProcess(
      `import { armFailpoints, parseConfig } from '@hopcount/runtime';
       import { startWorker } from './apps/worker/src/worker.js';
       import { workerConfigSchema } from './apps/worker/src/worker.config.js';
       armFailpoints(process.env);
       await startWorker(parseConfig(workerConfigSchema, process.env));`,
      {
        environment: {
          ...{ HOPCOUNT_FAILPOINTS: failpoints, DATABASE_URL: this.server.url, OPS_PORT: '0', LOG_LEVEL: 'fatal' },
          ...{ KAFKA_BROKERS: serviceAddress('KAFKA_BROKERS'), REDIS_URL: serviceAddress('REDIS_URL') },
          ...{ VISITS_TOPIC: this.visits.name, DEAD_LETTER_TOPIC: this.letters.name },
          ...{ CONSUMER_GROUP: `group-${this.visits.name}`, AUDIT_TOPIC: `${this.visits.name}.no-audits` },
          ...environment,
        },
      },
    );
    let output = '';
    child.stderr?.on('data', (chunk: Buffer) => (output += chunk.toString()));
    const signal = await new Promise((resolve) => child.once('close', (_code, name) => resolve(name)));
    rmSync(failpoints, { recursive: true });
    return [output, signal];
  }

  /** As if two minutes had passed since a worker was heard. */
  async silence(): Promise<void> {
    await this.server.query(`UPDATE operator_jobs SET heard_at = heard_at - interval '2 minutes'`);
  }
}
