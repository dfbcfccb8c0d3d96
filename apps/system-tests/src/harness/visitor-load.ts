import { randomUUID } from 'node:crypto';
import type { Agent } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

import type { ShortUrl } from '@hopcount/contracts';

import { makeAudience, type Visitor, visitHeaders } from './audience.js';
import { type Answer, call, keepAliveAgent } from './http.js';
import { type Random, seededRandom, zipfPicker } from './random.js';

export interface LoadOptions {
  gatewayUrl: string;
  links: readonly Pick<ShortUrl, 'shortCode' | 'shortUrl'>[];
  concurrency?: number;
  visitors?: number;
  seed?: number;
  /**
   * One in so many visits ends its connection: gateways that share a port take new connections in turn, and
   * one that was started again would get none from visitors who keep theirs.
   */
  reconnectOneIn?: number;
  /** By which a balancer says that it lost the answer of a server: as much in doubt as a lost connection. */
  inDoubtStatuses?: readonly number[];
}

export interface RunOptions {
  signal?: AbortSignal;
  /** Called after every visit. */
  onProgress?: () => void;
  /** Of each of the concurrent visitors after a visit: keeps a long run from becoming a large one. */
  pauseMs?: number;
}

const PAUSE_AFTER_FAILURE_MS = 50;

/**
 * Visits links through the gateway and keeps what conservation is checked against: the event id of
 * every answer that came whole, and the nonce (`utm_content`, which the ledger stores) of every
 * request whose answer did not: those are in doubt and may be counted or not.
 */
export class VisitorLoad {
  /** Event id → code. */
  readonly acknowledged = new Map<string, string>();
  readonly inDoubt = new Set<string>();
  /** Answers other than 302, by status: no visits. */
  readonly refused = new Map<number, number>();
  /** An id the gateway gave to two answers would be counted once: a defect of its own. */
  readonly repeatedIds: string[] = [];

  readonly #random: Random;
  readonly #nextVisitor: () => Visitor;
  readonly #nextLink: () => number;
  readonly #agent: Agent;
  readonly #concurrency: number;

  constructor(private readonly options: LoadOptions) {
    this.#random = seededRandom(options.seed ?? 1);
    this.#nextVisitor = makeAudience(this.#random, options.visitors ?? 400);
    this.#nextLink = zipfPicker(this.#random, options.links.length);
    this.#concurrency = options.concurrency ?? 32;
    this.#agent = keepAliveAgent(this.#concurrency);
  }

  /** Until that many more visits are acknowledged, or `signal` says stop. */
  async run(visits: number, options: RunOptions = {}): Promise<void> {
    const target = this.acknowledged.size + visits;
    let started = 0;
    const worker = async () => {
      while (this.acknowledged.size + started < target && options.signal?.aborted !== true) {
        started += 1;
        const ok = await this.#visitOnce();
        started -= 1;
        options.onProgress?.();
        if (!ok) await sleep(PAUSE_AFTER_FAILURE_MS);
        else if (options.pauseMs !== undefined) await sleep(options.pauseMs);
      }
    };
    await Promise.all(Array.from({ length: this.#concurrency }, worker));
  }

  close(): void {
    this.#agent.destroy();
  }

  /** Takes over what another load has seen, so that one check covers both. */
  absorb(other: VisitorLoad): void {
    for (const [id, code] of other.acknowledged) {
      if (this.acknowledged.has(id)) this.repeatedIds.push(id);
      this.acknowledged.set(id, code);
    }
    for (const nonce of other.inDoubt) this.inDoubt.add(nonce);
    for (const [status, count] of other.refused) this.refused.set(status, (this.refused.get(status) ?? 0) + count);
    this.repeatedIds.push(...other.repeatedIds);
  }

  async #visitOnce(): Promise<boolean> {
    const link = this.options.links[this.#nextLink()];
    if (link === undefined) throw new Error('there are no links to visit');
    const visitor = this.#nextVisitor();
    const nonce = randomUUID();
    const url = `${this.options.gatewayUrl}/${link.shortCode}?utm_source=load&utm_content=${nonce}`;
    const headers: Record<string, string> = {
      ...visitHeaders(this.#random, visitor),
      host: new URL(link.shortUrl).host,
    };
    if (this.options.reconnectOneIn !== undefined && this.#random() * this.options.reconnectOneIn < 1) {
      headers['connection'] = 'close';
    }
    let answer: Answer;
    try {
      answer = await call(url, { headers, agent: this.#agent });
    } catch {
      this.inDoubt.add(nonce);
      return false;
    }
    if (this.options.inDoubtStatuses?.includes(answer.status)) {
      this.inDoubt.add(nonce);
      return false;
    }
    if (answer.status !== 302) {
      this.refused.set(answer.status, (this.refused.get(answer.status) ?? 0) + 1);
      return false;
    }
    this.#acknowledge(answer, link.shortCode);
    if (!visitor.isBot) visitor.cookie = cookieOf(answer) ?? visitor.cookie;
    return true;
  }

  #acknowledge(answer: Answer, code: string): void {
    const id = answer.headers['x-visit-id'];
    if (typeof id !== 'string') throw new Error('a 302 without x-visit-id');
    if (this.acknowledged.has(id)) this.repeatedIds.push(id);
    this.acknowledged.set(id, code);
  }
}

function cookieOf(answer: Answer): string | undefined {
  return answer.headers['set-cookie']?.[0]?.split(';')[0];
}
