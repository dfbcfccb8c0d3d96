import { setTimeout as sleep } from 'node:timers/promises';

import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { HOST_KINDS, type HostAlertMessage } from '@hopcount/contracts';
import { asciiOf } from '@hopcount/hosts';
import { Identities, type Identity } from '@hopcount/identities';
import { AppError, type Reach } from '@hopcount/runtime';
import { type HostAlertEvent, HostAlerts } from '@hopcount/statistics';

import { API_ERRORS } from '../api.errors.js';
import { ApiMetrics } from '../api.metrics.js';
import { Places } from '../limits/places.js';
import { readerOf } from '../live/live-hub.js';
import { HostAlertStream } from './host-alert-stream.js';

const EVERY_MS = 1_000;
const ALIVE_EVERY_MS = 15_000;
const FOLLOWERS_AT_MOST = 500;
/** Of an API key or a user. */
const OF_ONE = 20;
/** Whoever goes on from before these is told that there is a gap. */
const EVENTS_AT_MOST = 1_000;

interface Message {
  id: number;
  data: string;
}

/** Hands surges to everybody who follows them: one question a second for all, and none while nobody does. */
@Injectable()
export class HostAlertsHub implements OnModuleDestroy {
  readonly #streams = new Set<HostAlertStream>();
  readonly #places = new Places({ ofAll: FOLLOWERS_AT_MOST, ofOne: OF_ONE }, 'too-many-readers');
  readonly #stop = new AbortController();
  #ticking: Promise<void> | undefined;
  #aliveAtMs = 0;
  /** Newest event of the last look, while somebody follows. */
  #head: number | undefined;
  /** The newest that were read, up to #head, as they are told. */
  #messages: Message[] = [];
  /** All behind it are among them. */
  #knownFrom = 0;
  readonly #placed = new WeakSet<HostAlertStream>();

  constructor(
    private readonly alerts: HostAlerts,
    private readonly identities: Identities,
    private readonly metrics: ApiMetrics,
  ) {}

  /**
   * From now on, or behind an event, for as long as the key works or the session lasts, and reaches the same.
   * @throws AppError `too-many-readers` (retryable)
   */
  follow({ kind, id, hash }: Identity, reach: Reach, after: number | undefined): HostAlertStream {
    if (this.#stop.signal.aborted)
      throw new AppError('too-many-readers', API_ERRORS['too-many-readers'], { retryable: true });
    const leave = this.#places.enter({ kind, id });
    const stream = new HostAlertStream({ kind, id, hash, reach }, after ?? this.#head);
    this.#streams.add(stream);
    stream.once('close', () => {
      this.#streams.delete(stream);
      leave();
    });
    this.#ticking ??= this.#tickWhileFollowed();
    return stream;
  }

  async onModuleDestroy(): Promise<void> {
    this.#stop.abort();
    for (const stream of this.#streams) stream.end();
    await this.#ticking;
  }

  async #tickWhileFollowed(): Promise<void> {
    const { signal } = this.#stop;
    this.#aliveAtMs = performance.now();
    while (!signal.aborted && this.#streams.size > 0) {
      try {
        await this.#tick();
      } catch {
        // PostgreSQL is away: nothing is lost, the cursors stay.
        this.metrics.liveFailures.inc();
      }
      await sleep(EVERY_MS, undefined, { signal }).catch(() => undefined);
    }
    this.#ticking = undefined;
    this.#head = undefined;
    this.#messages = [];
  }

  async #tick(): Promise<void> {
    for (const stream of this.#streams) stream.closeIfStuck();
    await this.#endRefused();
    const streams = this.#followed();
    const head = await this.#read(streams);
    const isAliveDue = performance.now() - this.#aliveAtMs >= ALIVE_EVERY_MS;
    if (isAliveDue) this.#aliveAtMs = performance.now();
    for (const stream of streams) {
      const isNew = !this.#placed.has(stream);
      this.#placed.add(stream);
      // Of a database that was restored it may be ahead.
      const cursor = Math.min(stream.cursor ?? head, head);
      stream.cursor = cursor;
      // Without room for that it is told so once there is.
      const isTold = cursor >= this.#knownFrom || stream.sendGap(this.#knownFrom);
      if (isTold) for (const { id, data } of this.#messages) if (id > cursor && !stream.send(id, data)) break;
      if (isNew || isAliveDue) stream.sendPlace();
    }
  }

  /** What is behind all that is known or, at first, behind the least cursor: who is slow is not read for again. @returns the newest id */
  async #read(streams: readonly HostAlertStream[]): Promise<number> {
    const cursors = streams.flatMap(({ cursor }) => (cursor === undefined ? [] : [cursor]));
    const least = cursors.length === 0 ? null : cursors.reduce((one, other) => Math.min(one, other));
    const isFull = this.#messages.length === EVENTS_AT_MOST;
    const known = least !== null && (isFull || least >= this.#knownFrom) ? this.#head : undefined;
    const from = known ?? least;
    const { head, events } = await this.alerts.events(from, EVENTS_AT_MOST);
    // Less than before: the database was restored, and what was read is of another history.
    const before = known !== undefined && head >= known ? this.#messages : [];
    const read = events.map((event) => ({ id: event.id, data: JSON.stringify(messageOf(event)) }));
    this.#messages = [...before, ...read].slice(-EVENTS_AT_MOST);
    const first = this.#messages.length < EVENTS_AT_MOST ? undefined : this.#messages[0];
    if (first !== undefined) this.#knownFrom = first.id - 1;
    else if (before.length === 0) this.#knownFrom = Math.min(from ?? head, head);
    this.#head = head;
    return head;
  }

  /** Without those that were ended, and leave once their reader has taken the rest. */
  #followed(): HostAlertStream[] {
    return [...this.#streams].filter(({ isEnded }) => !isEnded);
  }

  async #endRefused(): Promise<void> {
    for (const stream of this.#followed()) {
      const reader = await readerOf(this.identities, stream.reader);
      if (reader?.reach.equals(stream.reader.reach) !== true) stream.end();
    }
  }
}

function messageOf(event: HostAlertEvent): HostAlertMessage {
  const { alertId, kind, name, what, at, visits, usualVisits, isNew, closedBecause, explanation } = event;
  return {
    ...{ id: alertId, what, kind: HOST_KINDS[kind] ?? 'fed', host: asciiOf(name), at: new Date(at).toISOString() },
    ...{ visits, usualVisits, new: isNew, closedBecause, explanation },
  };
}
