import { setTimeout as sleep } from 'node:timers/promises';

import type { LinkStore, WorkerLease } from '@hopcount/links';
import { isServerAway } from '@hopcount/postgres';
import type { Logger } from '@hopcount/runtime';

const AGAIN_MS = 1_000;

/** What has to be written before anything else is: with the primary away an api that has a standby starts without, and goes on asking. */
export class WritingStart {
  readonly #stop = new AbortController();
  #later: Promise<void> | undefined;

  constructor(
    private readonly parts: {
      links: Pick<LinkStore, 'ensureDefaultDomain'>;
      lease: Pick<WorkerLease, 'start'>;
      logger: Logger;
    },
  ) {}

  /** @throws the database's error, unless it is that the primary is away and `mayWait` */
  async begin({ mayWait }: { mayWait: boolean }): Promise<void> {
    try {
      await this.#write();
    } catch (error) {
      if (!mayWait || !isServerAway(error)) throw error;
      const said =
        'PostgreSQL at DATABASE_URL does not answer: its standby answers questions, changes are refused until it does';
      this.parts.logger.warn({ err: error as Error }, said);
      this.#later = this.#writeLater();
    }
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#later;
  }

  async #write(): Promise<void> {
    await this.parts.links.ensureDefaultDomain();
    await this.parts.lease.start();
  }

  async #writeLater(): Promise<void> {
    const { signal } = this.#stop;
    while (!signal.aborted) {
      await sleep(AGAIN_MS, undefined, { signal }).catch(() => undefined);
      if (signal.aborted) return;
      try {
        await this.#write();
        return this.parts.logger.info('PostgreSQL at DATABASE_URL answers: changes are taken');
      } catch (error) {
        if (!isServerAway(error)) this.parts.logger.error({ err: error as Error }, 'changes are refused still');
      }
    }
  }
}
