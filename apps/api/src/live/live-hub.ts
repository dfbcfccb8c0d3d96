import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { type FeedCursor, type FeedEvent, VisitFeed } from '@hopcount/statistics';

import type { LiveReader } from './event-stream.js';
import { EventStreams, STREAMS } from './event-streams.js';
import { LiveMessages } from './live-messages.js';
import { type LiveMessage, LiveStream } from './live-stream.js';
import type { LiveTopics } from './live-topics.js';

const TICK_MS = 200;
const ALIVE_EVERY_MS = 15_000;
/** The feed stops ten minutes after nobody asked for it any more. */
const WANT_EVERY_MS = 60_000;

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
  readonly #readers = new Set<LiveStream>();
  #joining: Place[] = [];
  /** Of the readers; undefined: nobody follows. */
  #cursor: FeedCursor | undefined;
  #ticking: Promise<void> | undefined;
  #isClosed = false;
  #aliveAtMs = 0;
  #wantedAtMs = 0;

  constructor(
    private readonly feed: VisitFeed,
    private readonly messages: LiveMessages,
    private readonly streams: EventStreams,
  ) {}

  /**
   * A stream of what comes from now on, or behind the cursor, of what the reader reaches and for as long as that stays so.
   * @param from `after`: the cursor; `endsAtMs`: of the token
   * @throws AppError `too-many-readers` (retryable); the database's errors
   */
  async follow(
    reader: LiveReader,
    topics: LiveTopics,
    from: { after?: FeedCursor | undefined; endsAtMs?: number } = {},
  ): Promise<LiveStream> {
    const leave = this.streams.enter('visits', reader);
    try {
      return await this.#begin(reader, topics, from, leave);
    } catch (error) {
      leave();
      throw error;
    }
  }

  async #begin(
    reader: LiveReader,
    topics: LiveTopics,
    { after, endsAtMs = Infinity }: { after?: FeedCursor | undefined; endsAtMs?: number },
    leave: () => void,
  ): Promise<LiveStream> {
    const now = await this.feed.begin();
    // Only now: where nobody had followed for long, the feed begins with this reader.
    const isWhole = after === undefined ? true : await this.feed.isWhole(after);
    const stream = this.streams.add(new LiveStream(topics, reader, { ...STREAMS.visits, endsAtMs }), leave);
    stream.once('close', () => this.#readers.delete(stream));
    const cursor = isWhole === undefined ? now : (after ?? now);
    if (isWhole !== true) stream.sendGap();
    stream.sendPlace(cursor);
    this.#catchUp({ stream, cursor });
    return stream;
  }

  async onModuleDestroy(): Promise<void> {
    this.#isClosed = true;
    await this.#ticking;
  }

  #catchUp({ stream, cursor }: Place): void {
    this.#readAlone(stream, cursor)
      .then((caughtUp) => {
        if (!stream.isOpen || this.#isClosed) return;
        this.#joining.push({ stream, cursor: caughtUp });
        this.#ticking ??= this.#tickWhileFollowed();
      })
      .catch((error: unknown) => {
        this.streams.failed(error);
        // The client comes again, from its last event on.
        stream.destroy();
      });
  }

  /** Up to now. */
  async #readAlone(stream: LiveStream, from: FeedCursor): Promise<FeedCursor> {
    let cursor = from;
    while (stream.isOpen && !this.#isClosed) {
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
      } catch (error) {
        // The cursors stay.
        this.streams.failed(error);
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
    if (alone.size > 0 && stream.isOpen) this.#readers.add(stream);
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
    if (stream.isOpen && !stream.isFull) return stream.send(message);
    among.delete(stream);
    if (!stream.isOpen) return;
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
