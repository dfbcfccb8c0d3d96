import { setTimeout as sleep } from 'node:timers/promises';

import type { ShortUrl, StackFile } from '@hopcount/contracts';
import { waitUntil } from '@hopcount/testing';

import { LinksApi } from './links.js';

const PAUSE_AFTER_FAILURE_MS = 100;
const SETTLED_WITHIN_MS = 120_000;

export interface ChangeOptions {
  /** Between two rounds of link, edit, key and purge. */
  pauseMs?: number;
  /** Of purges; the first one comes after as long. */
  purgeEveryMs?: number;
  /** Code → when its purge was acknowledged. */
  purged?: Map<string, number>;
}

/** Makes and edits links, makes keys and purges links, one after the other, and keeps what the api said yes to. */
export class AcknowledgedChanges {
  /** Code → where it may lead: one place, or two after an edit nobody knows the outcome of. */
  readonly #links = new Map<string, string[]>();
  readonly #keys: string[] = [];
  /** Code → when its purge was acknowledged. */
  readonly purged: Map<string, number>;
  readonly #api: LinksApi;
  readonly #purgedHere = new Set<string>();
  #count = 0;
  #lastPurgeMs = Date.now();
  /** Asked for, and not answered: its visits may be gone. */
  #isPurgeInDoubt = false;

  constructor(
    private readonly file: StackFile,
    /** Purged one after the other. */
    private readonly toPurge: ShortUrl[],
    private readonly options: ChangeOptions = {},
  ) {
    this.purged = options.purged ?? new Map<string, number>();
    this.#api = new LinksApi(file);
  }

  get acknowledged(): number {
    return this.#links.size + this.#keys.length + this.#purgedHere.size;
  }

  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const longUrl = `https://example.com/${(this.#count += 1)}`;
      const made = await this.#try(() => this.#api.create({ longUrl }));
      if (made === undefined) continue;
      this.#links.set(made.shortCode, [longUrl]);
      const edited = await this.#try(() => this.#api.edit(made.shortCode, { longUrl: `${longUrl}/edited` }));
      this.#links.set(made.shortCode, edited === undefined ? [longUrl, `${longUrl}/edited`] : [`${longUrl}/edited`]);
      const key = await this.#try(() => this.#api.makeKey(`key ${this.#count}`));
      if (key !== undefined) this.#keys.push(key.apiKey);
      if (Date.now() - this.#lastPurgeMs >= (this.options.purgeEveryMs ?? 0)) await this.#purge();
      await sleep(this.options.pauseMs ?? 0);
    }
  }

  /** A purge in doubt is asked for again until there is an answer: what it left is to be known exactly. */
  async settle(): Promise<void> {
    const isSettled = async () => {
      if (this.#isPurgeInDoubt) await this.#purge();
      return !this.#isPurgeInDoubt;
    };
    await waitUntil(isSettled, { timeoutMs: SETTLED_WITHIN_MS, describe: 'a purge is acknowledged' });
  }

  async more(count: number): Promise<void> {
    const wanted = this.acknowledged + count;
    const isThere = () => this.acknowledged >= wanted;
    await waitUntil(isThere, { timeoutMs: 120_000, describe: `${count} more acknowledged changes` });
  }

  /** What was acknowledged and is not so. */
  async lost(): Promise<string[]> {
    const lost: string[] = [];
    for (const [code, places] of this.#links) {
      const longUrl = await this.#api.find(code).then(({ longUrl: found }) => found, String);
      if (!places.includes(longUrl)) lost.push(`${code}: ${longUrl}`);
    }
    const [known = ''] = this.#links.keys();
    for (const apiKey of this.#keys) {
      const find = new LinksApi({ apiUrl: this.file.apiUrl, apiKey }).find(known);
      await find.catch((error: unknown) => lost.push(`a key: ${String(error)}`));
    }
    for (const code of this.#purgedHere) {
      const { visits } = (await this.#api.statistics(code)).totals;
      if (visits > 0) lost.push(`the purge of ${code}: ${visits} visits`);
    }
    return lost;
  }

  async #purge(): Promise<void> {
    const [link] = this.toPurge;
    if (link === undefined) return;
    this.#isPurgeInDoubt = true;
    if ((await this.#try(() => this.#api.purge(link.shortCode))) === undefined) return;
    this.#isPurgeInDoubt = false;
    this.#lastPurgeMs = Date.now();
    this.purged.set(link.shortCode, this.#lastPurgeMs);
    this.#purgedHere.add(link.shortCode);
    this.toPurge.shift();
  }

  /** @returns undefined: it was refused, or the answer did not come */
  async #try<T>(change: () => Promise<T>): Promise<T | undefined> {
    try {
      return await change();
    } catch {
      await sleep(PAUSE_AFTER_FAILURE_MS);
      return undefined;
    }
  }
}
