import { setTimeout as sleep } from 'node:timers/promises';

import { type Identities, type Identity, reachFor } from '@hopcount/identities';
import { AppError, type Logger } from '@hopcount/runtime';
import type { FastifyReply, FastifyRequest } from 'fastify';

import { API_ERRORS } from '../api.errors.js';
import type { ApiMetrics } from '../api.metrics.js';
import { Places } from '../limits/places.js';
import type { EventStream, LiveReader } from './event-stream.js';

/** Beside the three seconds that an answer about a key is kept. */
const LOOK_EVERY_MS = 1_000;
/** A connection on which nothing comes is closed by proxies. */
const ALIVE_EVERY_MS = 20_000;

/** Of each kind: how many there may be, of all and of one API key or user, and how much may wait for a reader for how long. */
export const STREAMS = {
  /** Shlink's web client opens two in each tab. */
  visits: { ofAll: 1_000, ofOne: 50, mostWaitingBytes: 256 * 1_024, patienceMs: 30_000 },
  counts: { ofAll: 500, ofOne: 20, mostWaitingBytes: 16 * 1_024, patienceMs: 60_000 },
  alerts: { ofAll: 500, ofOne: 20, mostWaitingBytes: 64 * 1_024, patienceMs: 60_000 },
} as const;

export type StreamKind = keyof typeof STREAMS;

/**
 * All streams of server-sent events of this process. What they are told is read elsewhere; here is who may have one, how many,
 * and until when: the key works or the session lasts and reaches the same, the reader takes what it is sent, the process goes on.
 */
export class EventStreams {
  readonly #streams = new Set<EventStream>();
  readonly #places = Object.fromEntries(
    Object.entries(STREAMS).map(([kind, most]) => [kind, new Places(most, 'too-many-readers')]),
  ) as Record<StreamKind, Places>;
  readonly #stop = new AbortController();
  #watching: Promise<void> | undefined;

  constructor(
    private readonly identities: Pick<Identities, 'again'>,
    private readonly metrics: Pick<ApiMetrics, 'liveReaders' | 'liveFailures'>,
    private readonly logger: Logger,
    private readonly lookEveryMs = LOOK_EVERY_MS,
  ) {}

  get isClosed(): boolean {
    return this.#stop.signal.aborted;
  }

  /** @returns to be called once it leaves, unless add() was. @throws AppError `too-many-readers` (retryable) */
  enter(kind: StreamKind, holder: Pick<Identity, 'kind' | 'id'>): () => void {
    if (this.isClosed) throw new AppError('too-many-readers', API_ERRORS['too-many-readers'], { retryable: true });
    return this.#places[kind].enter(holder);
  }

  /** Watched from now on. @param leave from enter() */
  add<Stream extends EventStream>(stream: Stream, leave: () => void): Stream {
    this.#streams.add(stream);
    this.metrics.liveReaders.set(this.#streams.size);
    stream.once('close', () => {
      leave();
      this.#streams.delete(stream);
      this.metrics.liveReaders.set(this.#streams.size);
    });
    if (this.isClosed) stream.end();
    this.#watching ??= this.#watch();
    return stream;
  }

  /** As of now; undefined for who may not follow visits. @throws the database's error */
  async readerOf(holder: Pick<Identity, 'kind' | 'hash'>): Promise<LiveReader | undefined> {
    const identity = await this.identities.again(holder);
    const reach = identity && reachFor(identity, 'statistics:read');
    return reach && { kind: holder.kind, id: identity.id, hash: holder.hash, reach };
  }

  /** Events for streams could not be read. They are read again, and nothing is lost. */
  failed(error: unknown): void {
    this.metrics.liveFailures.inc();
    this.logger.warn({ err: error }, 'live events could not be read; they are read again');
  }

  async close(): Promise<void> {
    this.#stop.abort();
    for (const stream of this.#streams) stream.end();
    await this.#watching;
  }

  async #watch(): Promise<void> {
    const { signal } = this.#stop;
    while (!signal.aborted && this.#streams.size > 0) {
      for (const stream of this.#streams) stream.look({ aliveEveryMs: ALIVE_EVERY_MS });
      await this.#endRefused();
      // Aborted: it is over.
      await sleep(this.lookEveryMs, undefined, { signal }).catch(() => undefined);
    }
    this.#watching = undefined;
  }

  /** One question for all streams of one key or session. */
  async #endRefused(): Promise<void> {
    const ofEach = new Map<string, EventStream[]>();
    for (const stream of this.#streams) {
      if (!stream.isOpen) continue;
      const whose = `${stream.reader.kind} ${stream.reader.hash.toString('hex')}`;
      ofEach.set(whose, [...(ofEach.get(whose) ?? []), stream]);
    }
    for (const [first, ...others] of ofEach.values()) {
      if (first === undefined) continue;
      try {
        const reader = await this.readerOf(first.reader);
        for (const stream of [first, ...others]) if (reader?.reach.equals(stream.reader.reach) !== true) stream.end();
      } catch (error) {
        // PostgreSQL is away: it is asked again in a second, and nothing new is told without it.
        this.failed(error);
      }
    }
  }
}

/** Answers a request with a stream; a HEAD request with its head alone. */
export async function sendEvents(
  request: FastifyRequest,
  reply: FastifyReply,
  follow: () => EventStream | Promise<EventStream>,
): Promise<void> {
  void reply
    .header('content-type', 'text/event-stream')
    .header('cache-control', 'no-store')
    .header('x-accel-buffering', 'no');
  if (request.method === 'HEAD') return void reply.send();
  const stream = await follow();
  // Not the request's end: that came long ago.
  reply.raw.once('close', () => stream.destroy());
  // The client may have left while the stream was made.
  if (reply.raw.destroyed) stream.destroy();
  return void reply.send(stream);
}
