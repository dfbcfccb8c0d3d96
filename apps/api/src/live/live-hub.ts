import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { Identities, type Identity, reachFor } from '@hopcount/identities';
import { AppError } from '@hopcount/runtime';
import { type FeedCursor, type FeedEvent, VisitFeed } from '@hopcount/statistics';

import { API_ERRORS } from '../api.errors.js';
import { ApiMetrics } from '../api.metrics.js';
import { Places } from '../limits/places.js';
import { LiveMessages } from './live-messages.js';
import { type LiveMessage, type LiveReader, LiveStream } from './live-stream.js';
import type { LiveTopics } from './live-topics.js';

const TICK_MS = 200;
const ALIVE_EVERY_MS = 15_000;
/** The feed stops ten minutes after nobody asked for it any more. */
const WANT_EVERY_MS = 60_000;
const READERS_AT_MOST = 1_000;
/** Of an API key or a user: Shlink's web client opens two in each tab. */
const OF_ONE = 50;
/** Beside the three seconds that an answer about a key is kept. */
const KEYS_EVERY_MS = 1_000;

interface Place {
  stream: LiveStream;
  /** What the reader has got, or has not to get, is behind it. */
  cursor: FeedCursor;
}

/**
 * Hands what commits count to everybody who follows it. While somebody does, the feed is read every 200 ms, once for all. Who
 * goes on from a cursor, or takes less than comes, reads the feed alone and at its own pace until it has caught up,
 * and joins the others at the end of a tick.
 */
@Injectable()
export class LiveHub implements OnModuleDestroy {
  readonly #open = new Set<LiveStream>();
  readonly #readers = new Set<LiveStream>();
  readonly #places = new Places({ ofAll: READERS_AT_MOST, ofOne: OF_ONE }, 'too-many-readers');
  #joining: Place[] = [];
  /** Of the readers; undefined: nobody follows. */
  #cursor: FeedCursor | undefined;
  #ticking: Promise<void> | undefined;
  #isClosed = false;
  #aliveAtMs = 0;
  #wantedAtMs = 0;
  #watching: Promise<void> | undefined;

  constructor(
    private readonly feed: VisitFeed,
    private readonly messages: LiveMessages,
    private readonly metrics: ApiMetrics,
    private readonly identities: Identities,
  ) {}

  /**
   * A stream of what comes from now on, or behind the cursor, of what the reader reaches and for as long as that stays so.
   * @throws AppError `too-many-readers` (retryable); the database's errors
   */
  async follow(reader: LiveReader, topics: LiveTopics, after: FeedCursor | undefined): Promise<LiveStream> {
    if (this.#isClosed) throw new AppError('too-many-readers', API_ERRORS['too-many-readers'], { retryable: true });
    const leave = this.#places.enter(reader);
    try {
      return await this.#begin(reader, topics, after, leave);
    } catch (error) {
      leave();
      throw error;
    }
  }

  async #begin(
    reader: LiveReader,
    topics: LiveTopics,
    after: FeedCursor | undefined,
    leave: () => void,
  ): Promise<LiveStream> {
    const now = await this.feed.begin();
    // Only now: where nobody had followed for long, the feed begins with this reader.
    const isWhole = after === undefined ? true : await this.feed.isWhole(after);
    const stream = new LiveStream(topics, reader);
    this.#open.add(stream);
    this.#watching ??= this.#watchKeys();
    this.metrics.liveReaders.set(this.#open.size);
    stream.once('close', () => {
      leave();
      this.#open.delete(stream);
      this.#readers.delete(stream);
      this.metrics.liveReaders.set(this.#open.size);
    });
    const cursor = isWhole === undefined ? now : (after ?? now);
    if (isWhole !== true) stream.sendGap();
    stream.sendPlace(cursor);
    this.#catchUp({ stream, cursor });
    return stream;
  }

  async onModuleDestroy(): Promise<void> {
    this.#isClosed = true;
    for (const stream of this.#open) stream.end();
    await this.#ticking;
  }

  /** Ends the streams of who is refused now, or reaches something else. */
  async #watchKeys(): Promise<void> {
    while (!this.#isClosed && this.#open.size > 0) {
      for (const stream of [...this.#open]) {
        // PostgreSQL is away: nothing is sent, either. The next look is before what comes when it is back, or a second after.
        const reader = await readerOf(this.identities, stream.reader).catch(() => stream.reader);
        if (reader?.reach.equals(stream.reader.reach) !== true) stream.end();
      }
      await new Promise((resolve) => setTimeout(resolve, KEYS_EVERY_MS).unref());
    }
    this.#watching = undefined;
  }

  #catchUp({ stream, cursor }: Place): void {
    this.#readAlone(stream, cursor)
      .then((caughtUp) => {
        if (stream.destroyed || this.#isClosed) return;
        this.#joining.push({ stream, cursor: caughtUp });
        this.#ticking ??= this.#tickWhileFollowed();
      })
      // PostgreSQL is away: the client comes again, from its last event on.
      .catch(() => stream.destroy());
  }

  /** Up to now. */
  async #readAlone(stream: LiveStream, from: FeedCursor): Promise<FeedCursor> {
    let cursor = from;
    while (!stream.destroyed && !this.#isClosed) {
      const isToNow = cursor.within === undefined;
      const part = await this.feed.read(cursor);
      for (const message of await this.#messagesOf(part.events, [stream])) {
        if (stream.isFull) await stream.drained();
        stream.send(message);
      }
      await stream.drained();
      cursor = part.next;
      if (part.isEnd && isToNow) break;
    }
    return cursor;
  }

  async #tickWhileFollowed(): Promise<void> {
    while (!this.#isClosed && this.#readers.size + this.#joining.length > 0) {
      try {
        await this.#tick();
      } catch {
        // PostgreSQL is away: nothing is lost, the cursors stay.
        this.metrics.liveFailures.inc();
      }
      await new Promise((resolve) => setTimeout(resolve, TICK_MS));
    }
    this.#cursor = undefined;
    this.#ticking = undefined;
  }

  async #tick(): Promise<void> {
    if (performance.now() - this.#wantedAtMs > WANT_EVERY_MS) {
      await this.feed.want();
      this.#wantedAtMs = performance.now();
    }
    this.#cursor ??= this.#joining[0]?.cursor;
    if (this.#cursor === undefined) return;
    // Who joins later may be behind a snapshot that this tick does not reach.
    const joining = this.#joining.splice(0);
    try {
      await this.#readOn(this.#cursor, this.#readers, undefined, (next) => (this.#cursor = next));
      for (let first = joining[0]; first !== undefined; first = joining[0]) {
        await this.#join(first, this.#cursor);
        joining.shift();
      }
    } finally {
      this.#joining.unshift(...joining);
    }
    if (performance.now() - this.#aliveAtMs > ALIVE_EVERY_MS) {
      for (const stream of this.#readers) stream.sendPlace(this.#cursor);
      this.#aliveAtMs = performance.now();
    }
  }

  /** After what came between where it caught up and where all others are now. */
  async #join(place: Place, until: FeedCursor): Promise<void> {
    const { stream } = place;
    const alone = new Set([stream]);
    await this.#readOn(place.cursor, alone, until, (next) => (place.cursor = next));
    if (alone.size > 0 && !stream.destroyed) this.#readers.add(stream);
  }

  /** `onPart`: so far all have what came; should the next part fail, they go on from there. */
  async #readOn(
    from: FeedCursor,
    streams: Set<LiveStream>,
    until: FeedCursor | undefined,
    onPart: (next: FeedCursor) => void,
  ): Promise<void> {
    for (let cursor = from; ;) {
      const { events, next, isEnd } = await this.feed.read(cursor, until);
      const messages = await this.#messagesOf(events, [...streams]);
      let last = cursor;
      for (const message of messages) {
        for (const stream of streams) this.#offer(stream, message, streams, last);
        last = message.cursor;
      }
      onPart(next);
      cursor = next;
      if (isEnd) return;
    }
  }

  /** Who is full leaves the others and goes on alone behind `last`. */
  #offer(stream: LiveStream, message: LiveMessage, among: Set<LiveStream>, last: FeedCursor): void {
    if (!stream.isFull) return stream.send(message);
    among.delete(stream);
    this.#catchUp({ stream, cursor: last });
  }

  async #messagesOf(events: readonly FeedEvent[], streams: readonly LiveStream[]): Promise<LiveMessage[]> {
    if (events.length === 0 || streams.length === 0) return [];
    return this.messages.of(
      events,
      streams.map(({ topics }) => topics),
    );
  }
}

/** As of now; undefined for who may not follow visits. */
export async function readerOf(
  identities: Identities,
  holder: Pick<Identity, 'kind' | 'hash'>,
): Promise<LiveReader | undefined> {
  const identity = await identities.again(holder);
  const reach = identity && reachFor(identity, 'statistics:read');
  return reach && { kind: holder.kind, id: identity.id, hash: holder.hash, reach };
}
