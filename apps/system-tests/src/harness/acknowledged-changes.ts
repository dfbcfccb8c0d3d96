import { setTimeout as sleep } from 'node:timers/promises';

import type { ShortUrl, StackFile } from '@hopcount/contracts';
import { waitUntil } from '@hopcount/testing';

import { LinksApi } from './links.js';

const PAUSE_AFTER_FAILURE_MS = 100;

/** Makes and edits links, makes keys and purges links, one after the other, and keeps what the api said yes to. */
export class AcknowledgedChanges {
  /** Code → where it may lead: one place, or two after an edit nobody knows the outcome of. */
  readonly #links = new Map<string, string[]>();
  readonly #keys: string[] = [];
  /** Code → when its purge was acknowledged. */
  readonly purged = new Map<string, number>();
  readonly #api: LinksApi;
  #count = 0;

  constructor(
    private readonly file: StackFile,
    /** Purged one after the other. */
    private readonly toPurge: ShortUrl[],
  ) {
    this.#api = new LinksApi(file);
  }

  get acknowledged(): number {
    return this.#links.size + this.#keys.length + this.purged.size;
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
      const [link] = this.toPurge;
      if (link === undefined || (await this.#try(() => this.#api.purge(link.shortCode))) === undefined) continue;
      this.purged.set(link.shortCode, Date.now());
      this.toPurge.shift();
    }
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
      const found = await this.#api.find(code).catch(() => undefined);
      if (found === undefined || !places.includes(found.longUrl)) lost.push(`${code}: ${found?.longUrl ?? 'gone'}`);
    }
    const [known = ''] = this.#links.keys();
    for (const apiKey of this.#keys) {
      const find = new LinksApi({ apiUrl: this.file.apiUrl, apiKey }).find(known);
      await find.catch(() => lost.push('a key'));
    }
    for (const code of this.purged.keys()) {
      const { visits } = (await this.#api.statistics(code)).totals;
      if (visits > 0) lost.push(`the purge of ${code}: ${visits} visits`);
    }
    return lost;
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
