import { ArchiveManifest, checkFiles } from '@hopcount/archive';
import type { KafkaAdmin } from '@hopcount/kafka';
import {
  type Check,
  checkCopies,
  checkData,
  checkTopics,
  fail,
  ok,
  type Said,
  warn,
  withoutThrowing,
} from '@hopcount/ledger';
import type { Database } from '@hopcount/postgres';
import { type Health, inTime, isAppError } from '@hopcount/runtime';

import type { ApiConfig } from '../api.config.js';
import { checkOfStandby, READ_STANDBY } from './postgres-readiness.js';

const FRESH_MS = 3_000;
const KAFKA_WAIT_MS = 5_000;
const READY = {
  pass: ok,
  warn: (name: string, found: string, said?: Said) => warn(name, found, ADVICE, advised(said)),
  fail: (name: string, found: string, said?: Said) => fail(name, found, ADVICE, advised(said)),
};
const ADVICE = 'See the log of the api, and its page /readyz at the operations port.';
const advised = (said: Said | undefined) => said && { ...said, advice: 'see-api-log' as const };

/** Of the readiness of this api. */
const HASH_KEYS = 'hash-keys';
const HASH_ADVICE = 'Set them the same everywhere; see docs/privacy.md.';

const ANSWERS: [string, Said] = ['answers', { found: 'answers' }];
const DOES_NOT_ANSWER: [string, Said] = ['does not answer', { found: 'does-not-answer' }];

/** What `hopcount doctor` says of all that an api reaches; looked at once in three seconds however many ask. */
export class SystemChecker {
  #known: { at: number; checks: Promise<Check[]> } | undefined;

  constructor(
    private readonly database: Database,
    private readonly kafka: KafkaAdmin,
    private readonly health: Health,
    private readonly config: ApiConfig,
  ) {}

  check(): Promise<Check[]> {
    const now = performance.now();
    if (this.#known === undefined || now - this.#known.at > FRESH_MS) this.#known = { at: now, checks: this.#check() };
    return this.#known.checks;
  }

  async #check(): Promise<Check[]> {
    const { database, kafka, config } = this;
    const manifest = new ArchiveManifest(database);
    const data = withoutThrowing('postgres', describeError, () =>
      checkData({
        ...{ database, config, describeError, ledgerDays: config.ledgerDays },
        dueHours: config.archiveUrl === undefined ? undefined : (range) => manifest.dueHours(range),
        archiveFiles: () => checkFiles(database),
        withKafka: (work) => inTime(work(kafka), KAFKA_WAIT_MS),
      }),
    );
    const topics = withoutThrowing('kafka', describeError, () =>
      inTime(
        kafka
          .clusterId()
          .then(async (id) => [
            ok('kafka', `cluster ${id}`, { found: 'cluster', values: { id } }),
            ...(await checkTopics(kafka, config)),
            await checkCopies(kafka, config),
          ]),
        KAFKA_WAIT_MS,
      ),
    );
    return [...(await data), ...(await topics), ...(await this.#readiness())];
  }

  async #readiness(): Promise<Check[]> {
    const { checks } = await this.health.ready();
    const others = Object.entries(checks).filter(([name]) => name !== 'postgres' && name !== READ_STANDBY);
    const standby = checks[READ_STANDBY];
    const ofOthers = others.map(([name, { status, detail }]) =>
      detail === undefined
        ? READY[status](name, ...(status === 'pass' ? ANSWERS : DOES_NOT_ANSWER))
        : name === HASH_KEYS
          ? warn(name, detail, HASH_ADVICE, { found: 'hash-keys-differ', advice: 'set-hash-keys' })
          : READY[status](name, detail),
    );
    return standby === undefined ? ofOthers : [...ofOthers, checkOfStandby(standby)];
  }
}

/** Of Kafka's and PostgreSQL's drivers: a sentence, without addresses and passwords. */
function describeError(error: unknown): { found: string; said: Said } {
  if (isAppError(error, 'other-cluster')) {
    const { bound, found } = error.details as { bound: string; found: string };
    return {
      found: error.message,
      said: { found: 'other-cluster', advice: 'correct-cluster', values: { bound, found } },
    };
  }
  const isAway = /no answer in|ECONNREFUSED|Connection|broker/i.test(String(error));
  const found = isAway ? 'does not answer' : 'could not be looked at; the log says why';
  return { found, said: { found: isAway ? 'does-not-answer' : 'not-looked-at', advice: 'run-again' } };
}
