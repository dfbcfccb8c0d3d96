import { readdir } from 'node:fs/promises';
import { join } from 'node:path';

import type { LinkUses } from '@hopcount/links';
import type { Logger } from '@hopcount/runtime';

import { DAMAGED_SUFFIX } from '../visits/spool/spool-folder.js';
import { holdsVisits } from './holds-visits.js';

const LOOK_EVERY_MS = 30_000;
const FIRST_LOOK_MS = 3_000;

/**
 * Says of gateways that were killed that nothing of them will come any more: their folder in the spool is gone (or holds
 * damaged segments only), so all they left there was taken over, and no folder holds a visit, rejected ones included, so all of that is in Kafka.
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
    const gone: string[] = [];
    for (const source of sources) if (await isLeft(join(this.root, source))) gone.push(source);
    if (gone.length === 0 || (await holdsVisits(this.root))) return;
    await this.uses.endSources(gone);
    this.logger.info({ sources: gone }, 'gateways ended; their visits are all in Kafka');
  }
}

/** Whether a process has left that folder of the spool, and all it left there was taken over or is damaged. */
async function isLeft(folder: string): Promise<boolean> {
  try {
    const files = await readdir(folder);
    // An empty one may be just made.
    return files.length > 0 && files.every((file) => file.endsWith(DAMAGED_SUFFIX));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return true;
    throw error;
  }
}
