import { readdir } from 'node:fs/promises';
import { join } from 'node:path';

import type { LinkUses } from '@hopcount/links';
import type { Logger } from '@hopcount/runtime';

import { Repeated } from '../repeated.js';
import { DAMAGED_SUFFIX } from '../visits/spool/spool-folder.js';
import { holdsVisits } from './holds-visits.js';

const LOOKS = { firstMs: 3_000, everyMs: 30_000 };

/**
 * Says of gateways that were killed that nothing of them will come any more: their folder in the spool is gone (or holds
 * damaged segments only), so all they left there was taken over, and no folder holds a visit, rejected ones included, so all of that is in Kafka.
 * The worker then finds out which of their uses became visits, and gives back the others.
 */
export class EndedSources {
  readonly #looks: Repeated;

  constructor(
    private readonly uses: Pick<LinkUses, 'otherSources' | 'endSources'>,
    private readonly root: string,
    private readonly logger: Logger,
  ) {
    this.#looks = new Repeated(() => this.look(), LOOKS, logger);
  }

  start(): void {
    this.#looks.start();
  }

  stop(): Promise<void> {
    return this.#looks.stop();
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
