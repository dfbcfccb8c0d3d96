import { deepStrictEqual } from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

import type { StackFile } from '@hopcount/contracts';
import { waitUntil } from '@hopcount/testing';

import { call } from '../harness/http.js';
import type { Ledger } from '../harness/ledger.js';
import { pick, type Random, seededRandom } from '../harness/random.js';
import type { RunningStack } from '../harness/stack.js';

interface Batch {
  readonly key: string;
  readonly lines: readonly (readonly [host: string, visits: number])[];
  /** Answered 202 once: from then on it counts. */
  isFed: boolean;
  /** `asked`: an answer is missing. */
  takenBack: 'no' | 'asked' | 'yes';
}

export interface FedFacts {
  batches: number;
  sentAgain: number;
  /** Requests without an answer, or answered 429 or 5xx. */
  inDoubt: number;
  /** Other counts under a key that was used: refused. */
  otherCounts: number;
  takenBack: number;
}

const PAUSE_MS = 400;
const TRIES = 3;
const PAUSE_AFTER_FAILURE_MS = 250;
const TIMEOUT_MS = 15_000;
const SETTLED_WITHIN_MS = 120_000;
const MOST_LINES = 4;
const MOST_VISITS = 1_000_000_000;
/** Below each other, an address, and one that is not ASCII. */
const HOSTS = [
  ...['example', 'fed.example', 'a.fed.example', 'b.fed.example', 'x.b.fed.example', 'y.x.b.fed.example'],
  ...['other.test', 'www.other.test', '192.0.2.7', 'xn--bcher-kva.example'],
];

/** Feeds counts of hosts through the api all the time, as somebody who sends everything again that was not answered. */
export class FedCounts {
  readonly facts: FedFacts = { batches: 0, sentAgain: 0, inDoubt: 0, otherCounts: 0, takenBack: 0 };
  /** Answers there must not be. */
  readonly wrong: string[] = [];
  readonly #batches: Batch[] = [];
  readonly #stopping = new AbortController();
  readonly #random: Random;
  #running: Promise<void> = Promise.resolve();

  private constructor(
    private readonly api: Pick<StackFile, 'apiUrl' | 'apiKey'>,
    seed: number,
  ) {
    this.#random = seededRandom(seed);
  }

  static start(api: Pick<StackFile, 'apiUrl' | 'apiKey'>, seed: number): FedCounts {
    const counts = new FedCounts(api, seed);
    counts.#running = counts.#run();
    return counts;
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  /** Whatever is in doubt is asked again, with its key, until there is an answer. @throws Error after two minutes */
  async settle(): Promise<void> {
    const isInDoubt = ({ isFed, takenBack }: Batch) => !isFed || takenBack === 'asked';
    const settle = async () => {
      for (const batch of this.#batches.filter(isInDoubt)) await this.#settle(batch);
      return !this.#batches.some(isInDoubt);
    };
    await waitUntil(settle, { timeoutMs: SETTLED_WITHIN_MS, everyMs: 500, describe: 'every batch is answered' });
  }

  /** Of each host by its name. */
  expected(): Map<string, number> {
    const sums = new Map(HOSTS.map((host) => [host, 0]));
    const lines = this.#batches.filter(({ takenBack }) => takenBack !== 'yes').flatMap((batch) => batch.lines);
    for (const [host, visits] of lines) sums.set(host, (sums.get(host) ?? 0) + visits);
    return sums;
  }

  /** As the api tells them. */
  async told(): Promise<Map<string, number>> {
    const sums = new Map<string, number>();
    for (const host of HOSTS) {
      const { status, body } = await this.#ask('GET', `hosts/fed/${host}?scope=self`);
      if (status !== 200) throw new Error(`visits of ${host}: ${status} ${body}`);
      sums.set(host, (JSON.parse(body) as { allTime: { visits: number } }).allTime.visits);
    }
    return sums;
  }

  async #run(): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      await this.#feed();
      await sleep(PAUSE_MS * 2 * this.#random());
    }
  }

  async #feed(): Promise<void> {
    const lines = Array.from({ length: 1 + Math.floor(this.#random() * MOST_LINES) }, () => this.#line());
    const batch: Batch = { key: randomUUID(), lines, isFed: false, takenBack: 'no' };
    this.#batches.push(batch);
    this.facts.batches += 1;
    // Now and then twice at once.
    await Promise.all([this.#send(batch), this.#random() < 0.1 && this.#sendAgain(batch)]);
    for (let tries = 1; !batch.isFed && tries < TRIES; tries += 1) {
      await sleep(PAUSE_AFTER_FAILURE_MS);
      await this.#sendAgain(batch);
    }
    const any = pick(this.#random, this.#batches);
    const drawn = this.#random();
    if (drawn < 0.15) await this.#sendAgain(any);
    else if (drawn < 0.25 && any.isFed) await this.#sendOther(any);
    else if (drawn < 0.4 && any.isFed) await this.#takeBack(drawn < 0.3 ? any : batch);
  }

  #line(): [string, number] {
    return [pick(this.#random, HOSTS), 1 + Math.floor(this.#random() * MOST_VISITS)];
  }

  async #settle(batch: Batch): Promise<void> {
    if (!batch.isFed) await this.#sendAgain(batch);
    if (batch.takenBack === 'asked') await this.#takeBack(batch);
  }

  #sendAgain(batch: Batch): Promise<void> {
    this.facts.sentAgain += 1;
    return this.#send(batch);
  }

  async #send(batch: Batch): Promise<void> {
    if (await this.#isDone(202, this.#post(batch.key, batch.lines))) batch.isFed = true;
  }

  async #sendOther({ key, lines }: Batch): Promise<void> {
    const other = [...lines.slice(1), this.#line()];
    if (await this.#isDone(422, this.#post(key, other))) this.facts.otherCounts += 1;
  }

  /** Again, it changes nothing. */
  async #takeBack(batch: Batch): Promise<void> {
    if (!batch.isFed) return;
    if (batch.takenBack === 'no') batch.takenBack = 'asked';
    if (!(await this.#isDone(200, this.#ask('DELETE', `hosts/counts/batches/${batch.key}`)))) return;
    if (batch.takenBack === 'asked') this.facts.takenBack += 1;
    batch.takenBack = 'yes';
  }

  /** The same counts as lines or as JSON are the same batch. */
  #post(key: string, lines: Batch['lines']): ReturnType<typeof call> {
    const asLines = this.#random() < 0.5;
    const body = asLines
      ? lines.map(([host, visits]) => `${visits} ${host}`).join('\n')
      : JSON.stringify({ counts: lines.map(([host, visits]) => ({ host, visits })) });
    const headers = { 'idempotency-key': key, 'content-type': asLines ? 'text/plain' : 'application/json' };
    return this.#ask('POST', 'hosts/counts', headers, body);
  }

  #ask(method: string, path: string, more: Record<string, string> = {}, body?: string): ReturnType<typeof call> {
    const headers = { 'x-api-key': this.api.apiKey, ...more };
    const options = { method, headers, timeoutMs: TIMEOUT_MS, ...(body !== undefined && { body }) };
    return call(`${this.api.apiUrl}/rest/v3/${path}`, options);
  }

  /** @returns whether it was answered so; false: in doubt, or wrong */
  async #isDone(status: number, asked: ReturnType<typeof call>): Promise<boolean> {
    const answer = await asked.catch(() => undefined);
    if (answer?.status === status) return true;
    if (answer === undefined || answer.status === 429 || answer.status >= 500) this.facts.inDoubt += 1;
    else this.wrong.push(`${answer.status} instead of ${status}: ${answer.body}`);
    return false;
  }
}

/**
 * What each host was fed with, without what was taken back, is what it has.
 * @throws Error that says what differs
 */
export async function assertFedCounted(
  _stack: RunningStack,
  { fed, ledger }: { fed: FedCounts; ledger: Ledger },
): Promise<void> {
  await fed.settle();
  if (fed.wrong.length > 0) throw new Error(`the feed was answered wrongly: ${fed.wrong.slice(0, 5).join('; ')}`);
  const areCounted = async () => (await ledger.batchesNotCounted()) === 0;
  await waitUntil(areCounted, { timeoutMs: SETTLED_WITHIN_MS, everyMs: 200, describe: 'every batch is counted' });
  const [told, expected] = [await fed.told(), fed.expected()];
  const differing = [...expected].filter(([host, visits]) => told.get(host) !== visits);
  const said = differing.map(([host, visits]) => `${host} has ${String(told.get(host))}, was fed ${visits}`);
  deepStrictEqual(told, expected, `counts that were fed differ: ${said.join('; ')}`);
}
