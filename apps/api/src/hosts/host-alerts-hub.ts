import { setImmediate as turn, setTimeout as sleep } from 'node:timers/promises';

import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { HOST_KINDS, type HostAlertMessage } from '@hopcount/contracts';
import { asciiOf } from '@hopcount/hosts';
import type { Identity } from '@hopcount/identities';
import type { Reach } from '@hopcount/runtime';
import { type HostAlertEvent, HostAlerts } from '@hopcount/statistics';

import { EventStreams, STREAMS } from '../live/event-streams.js';
import { HostAlertStream } from './host-alert-stream.js';

const EVERY_MS = 1_000;
const ALIVE_EVERY_MS = 15_000;
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
    private readonly streams: EventStreams,
  ) {}

  /**
   * From now on, or behind an event, for as long as the key works or the session lasts, and reaches the same.
   * @throws AppError `too-many-readers` (retryable)
   */
  follow({ kind, id, hash }: Identity, reach: Reach, after: number | undefined): HostAlertStream {
    const leave = this.streams.enter('alerts', { kind, id });
    const stream = new HostAlertStream({ kind, id, hash, reach }, after ?? this.#head, STREAMS.alerts);
    this.#streams.add(this.streams.add(stream, leave));
    stream.once('close', () => this.#streams.delete(stream));
    this.#ticking ??= this.#tickWhileFollowed();
    return stream;
  }

  async onModuleDestroy(): Promise<void> {
    this.#stop.abort();
    await this.#ticking;
  }

  async #tickWhileFollowed(): Promise<void> {
    const { signal } = this.#stop;
    this.#aliveAtMs = performance.now();
    // Those that come at the same moment, after a restart, are read for together.
    await turn();
    while (!signal.aborted && this.#streams.size > 0) {
      try {
        await this.#tick();
      } catch (error) {
        // The cursors stay.
        this.streams.failed(error);
      }
      await sleep(EVERY_MS, undefined, { signal }).catch(() => undefined);
    }
    this.#ticking = undefined;
    this.#head = undefined;
    this.#messages = [];
  }

  async #tick(): Promise<void> {
    // Without those that were ended, and leave once their reader has taken the rest.
    const streams = [...this.#streams].filter(({ isOpen }) => isOpen);
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
}

function messageOf(event: HostAlertEvent): HostAlertMessage {
  const { alertId, kind, name, what, at, visits, usualVisits, isNew, closedBecause, explanation } = event;
  return {
    ...{ id: alertId, what, kind: HOST_KINDS[kind] ?? 'fed', host: asciiOf(name), at: new Date(at).toISOString() },
    ...{ visits, usualVisits, new: isNew, closedBecause, explanation },
  };
}
