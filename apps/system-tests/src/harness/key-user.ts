import { setTimeout as sleep } from 'node:timers/promises';

import { call } from './http.js';

const PAUSE_MS = 200;
const TIMEOUT_MS = 5_000;
/** A key that is none; then too many of them from one address. */
const REFUSALS = new Set([401, 429]);

interface Use {
  url: string;
  sentMs: number;
  answeredMs: number;
  status: number;
}

/** Somebody who asks several api processes with one key, again and again, and remembers what they answered. */
export class KeyUser {
  readonly #uses: Use[] = [];
  readonly #stop = new AbortController();
  #running: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly urls: readonly string[],
    private readonly apiKey: string,
  ) {}

  start(): void {
    this.#running = Promise.all(this.urls.map((url) => this.#ask(url)));
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  /** Requests sent since then, by the clock of this process. */
  accepted(url: string, sinceMs: number): number {
    return this.#uses.filter((use) => use.url === url && use.sentMs >= sinceMs && use.status < 300).length;
  }

  /** Requests sent since then and answered by then. */
  refused(url: string, sinceMs: number, untilMs = Infinity): number {
    return this.#uses.filter(
      (use) => use.url === url && use.sentMs >= sinceMs && use.answeredMs <= untilMs && REFUSALS.has(use.status),
    ).length;
  }

  async #ask(url: string): Promise<void> {
    const headers = { 'x-api-key': this.apiKey };
    while (!this.#stop.signal.aborted) {
      const sentMs = Date.now();
      // No answer says nothing about the key.
      await call(`${url}/rest/v3/short-urls?itemsPerPage=1`, { headers, timeoutMs: TIMEOUT_MS }).then(
        ({ status }) => this.#uses.push({ url, sentMs, answeredMs: Date.now(), status }),
        () => undefined,
      );
      await sleep(PAUSE_MS);
    }
  }
}
