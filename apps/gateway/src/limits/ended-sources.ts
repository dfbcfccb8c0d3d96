import { readdir } from 'node:fs/promises';
import { join } from 'node:path';

import type { LinkUses } from '@hopcount/links';
import type { Logger } from '@hopcount/runtime';

import { LOCK_FILE } from '../visits/spool/spool-folder.js';

const LOOK_EVERY_MS = 30_000;
const FIRST_LOOK_MS = 3_000;

/**
 * Says of gateways that were killed that nothing of them will come any more: their folder in the spool is gone, so all
 * they left there was taken over, and no folder holds a visit, rejected ones included, so all of that is in Kafka.
 * The worker then finds out which of their uses became visits, and gives back the others.
 */
export class EndedSources {
  #timer: NodeJS.Timeout | undefined;
  #looking: Promise<void> = Promise.resolve();

  constructor(
    private readonly uses: Pick<LinkUses, 'otherSources' | 'endSources'>,
    private readonly root: string,
    private readonly logger: Logger,
  ) {}

  start(): void {
    this.#lookIn(FIRST_LOOK_MS);
  }

  async stop(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    await this.#looking;
  }

  #lookIn(delayMs: number): void {
    this.#timer = setTimeout(() => {
      this.#looking = this.look().catch((error: unknown) => this.logger.debug({ err: error }, 'next time'));
      void this.#looking.then(() => {
        if (this.#timer !== undefined) this.#lookIn(LOOK_EVERY_MS);
      });
    }, delayMs).unref();
  }

  async look(): Promise<void> {
    const sources = await this.uses.otherSources();
    if (sources.length === 0) return;
    const folders = new Set(await readdir(this.root));
    const gone = sources.filter((source) => !folders.has(source));
    // Twice: a segment that is moved while we look may be missed once.
    if (gone.length === 0 || (await holdsVisits(this.root)) || (await holdsVisits(this.root))) return;
    await this.uses.endSources(gone);
    this.logger.info({ sources: gone }, 'gateways ended; their visits are all in Kafka');
  }
}

/** Whether there is anything but locks in the folders below. */
async function holdsVisits(root: string): Promise<boolean> {
  for (const entry of await readdir(root, { withFileTypes: true })) {
    if (!entry.isDirectory()) continue;
    const files = await readdir(join(root, entry.name)).catch((error: NodeJS.ErrnoException) => {
      // Gone meanwhile, or none of ours (`lost+found`).
      if (error.code === 'ENOENT' || error.code === 'EACCES') return [];
      throw error;
    });
    if (files.some((file) => file !== LOCK_FILE)) return true;
  }
  return false;
}
