import type { ServerResponse } from 'node:http';

import type { Asker } from '@hopcount/identities';
import { AppError, endUnread, progressOf } from '@hopcount/runtime';

import { API_ERRORS } from '../api.errors.js';
import { Places } from './places.js';

/** One reads in PostgreSQL or in files while another is written. */
const MOST_MADE = 2;
const MOST = { ofAll: 64, ofOne: 16 };
/** Of all large pages that were made and not yet sent. */
const MOST_UNSENT_BYTES = 8 * 1_024 * 1_024;
const CHECK_MS = 1_000;
/** While others wait, a client that takes nothing of its page for so long loses its connection. */
const SILENT_CHECKS = 3;
const WAIT_CHECKS = 20;

interface Bounds {
  most?: { ofAll: number; ofOne: number };
  mostMade?: number;
  mostUnsentBytes?: number;
  checkMs?: number;
}

interface Waiting {
  begin: () => void;
  refuse: () => void;
  checks: number;
}

/**
 * Few large pages are made at a time, and the next one only while little of those before it waits for its client: what they
 * take of the memory does not grow with the number of clients, whether these read or not.
 */
export class LargePages {
  readonly #places: Places;
  readonly #waiting = new Set<Waiting>();
  readonly #made = new Map<ServerResponse, { progress: string; checks: number }>();
  #making = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(private readonly bounds: Bounds = {}) {
    this.#places = new Places(bounds.most ?? MOST, 'too-many-pages');
  }

  /**
   * Resolves when the page may be made: it takes a place until its response has ended.
   * @throws AppError `too-many-pages` (retryable): too many wait, this one waited for 20 s, or its client has left
   */
  async enter(asker: Pick<Asker, 'kind' | 'id'>, response: ServerResponse): Promise<void> {
    // It closes once: a place that is taken later would never be given back.
    if (response.closed) throw tooMany();
    response.once('close', this.#places.enter(asker));
    if (this.#waiting.size === 0 && this.#hasRoom()) return this.#begin(response);
    await new Promise<void>((resolve, reject) => {
      const waiting: Waiting = {
        begin: () => {
          this.#begin(response);
          resolve();
        },
        refuse: () => reject(tooMany()),
        checks: 0,
      };
      this.#waiting.add(waiting);
      this.#timer ??= setInterval(() => this.#check(), this.bounds.checkMs ?? CHECK_MS).unref();
      response.once('close', () => this.#refuse(waiting));
    });
  }

  #hasRoom(): boolean {
    const unsentBytes = [...this.#made.keys()].reduce((bytes, { writableLength }) => bytes + writableLength, 0);
    return (
      this.#making < (this.bounds.mostMade ?? MOST_MADE) &&
      unsentBytes < (this.bounds.mostUnsentBytes ?? MOST_UNSENT_BYTES)
    );
  }

  #begin(response: ServerResponse): void {
    this.#making += 1;
    let isMade = false;
    const made = () => {
      if (isMade) return;
      isMade = true;
      this.#making -= 1;
      this.#made.set(response, { progress: '', checks: 0 });
      this.#next();
    };
    // All of it is with the socket.
    response.once('prefinish', made);
    response.once('close', () => {
      made();
      this.#made.delete(response);
      this.#next();
    });
  }

  #next(): void {
    for (const first of this.#waiting) {
      if (!this.#hasRoom()) return;
      this.#waiting.delete(first);
      first.begin();
    }
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #refuse(waiting: Waiting): void {
    if (!this.#waiting.delete(waiting)) return;
    waiting.refuse();
    this.#next();
  }

  /** While others wait. */
  #check(): void {
    for (const [{ socket }, last] of this.#made) {
      const progress = socket === null ? '' : progressOf(socket);
      if (progress !== last.progress) Object.assign(last, { progress, checks: 0 });
      else if (++last.checks >= SILENT_CHECKS && socket !== null) endUnread(socket);
    }
    for (const waiting of this.#waiting) if (++waiting.checks > WAIT_CHECKS) this.#refuse(waiting);
    this.#next();
  }
}

function tooMany(): AppError {
  return new AppError('too-many-pages', API_ERRORS['too-many-pages'], { retryable: true });
}
