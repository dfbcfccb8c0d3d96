import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';

import type { Identity } from '@hopcount/identities';
import type { Reach } from '@hopcount/runtime';
import { type FeedCursor, formatCursor } from '@hopcount/statistics';

import type { LiveTopics } from './live-topics.js';

/** Bytes beyond which a reader gets nothing new until it has taken most of them. */
const MOST_WAITING = 256 * 1_024;
const LOW = MOST_WAITING / 4;
const LOOK_AGAIN_MS = 25;
/** Who takes nothing for so long is closed, and goes on from the last event that arrived. */
const PATIENCE_MS = 30_000;

export interface LiveMessage {
  cursor: FeedCursor;
  /** The visited link; undefined: an orphan visit. */
  link: { code: string; domain: string; authorKeyId: number | null; groupId: string | null } | undefined;
  /** That was asked. */
  domain: string;
  /** One line of JSON. */
  data: string;
}

/** Whose key or session it is. */
export interface LiveReader extends Pick<Identity, 'kind' | 'id' | 'hash'> {
  reach: Reach;
}

/** Server-sent events for one reader. What it has not taken yet waits here, and nobody else waits for it. */
export class LiveStream extends Readable {
  constructor(
    readonly topics: LiveTopics,
    readonly reader: LiveReader,
    private readonly patienceMs = PATIENCE_MS,
  ) {
    super({ highWaterMark: MOST_WAITING });
  }

  override _read(): void {
    // What there is comes by itself.
  }

  get isFull(): boolean {
    return this.readableLength > MOST_WAITING;
  }

  send({ cursor, link, domain, data }: LiveMessage): void {
    const { visits, orphans, codes } = this.topics;
    const { reach } = this.reader;
    const isWanted = link === undefined ? orphans : visits || codes.has(link.code);
    if (isWanted && (link === undefined ? reach.holdsOrphan(domain) : reach.holds(link)))
      this.#write(`id: ${formatCursor(cursor)}\ndata: ${data}\n\n`);
  }

  /** Without data it is no event to a client, but it goes on from there. */
  sendPlace(cursor: FeedCursor): void {
    this.#write(`: alive\nid: ${formatCursor(cursor)}\n\n`);
  }

  /** Visits may have come that nobody can tell any more. */
  sendGap(): void {
    this.#write('event: gap\ndata: {}\n\n');
  }

  /** Until the reader has taken most of what it was sent, or is gone. */
  async drained(): Promise<void> {
    let least = this.readableLength;
    let sinceMs = performance.now();
    while (!this.destroyed && this.readableLength > LOW) {
      if (this.readableLength < least) [least, sinceMs] = [this.readableLength, performance.now()];
      if (performance.now() - sinceMs > this.patienceMs) this.destroy();
      else await sleep(LOOK_AGAIN_MS);
    }
  }

  end(): void {
    if (!this.destroyed) this.push(null);
  }

  #write(text: string): void {
    if (!this.destroyed && !this.readableEnded) this.push(text);
  }
}
