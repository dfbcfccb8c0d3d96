import { setTimeout as sleep } from 'node:timers/promises';

import { createLocateVisitor, loadGeoSources, type Place } from '@hopcount/links/visitors';
import type { Logger } from '@hopcount/runtime';

/** As long as for a code nobody knows yet: the first visitors of a link that asks for a place wait so long at most. Then it is unknown until the files are there. */
const WAIT_MS = 2_500;

/** Places of addresses, from files of 130 MB together that are only opened, and read once, when a rule asks for a place. */
export class Places {
  #locate: (address: string | null) => Place = createLocateVisitor([]);
  #loading: Promise<void> | undefined;
  /** Loaded, or waited for long enough. */
  #isDue = false;

  constructor(
    private readonly files: readonly string[],
    private readonly logger: Logger,
  ) {}

  /** Undefined when nobody has to wait. Never rejects: without a file its places are unknown, and no rule about them holds. */
  load(): Promise<void> | undefined {
    if (this.#isDue) return undefined;
    this.#loading ??= Promise.race([this.#load(), sleep(WAIT_MS, undefined, { ref: false })]).then(() => {
      this.#isDue = true;
    });
    return this.#loading;
  }

  async #load(): Promise<void> {
    const sources = await loadGeoSources(this.files, { logger: this.logger, onBroken: () => undefined });
    this.#locate = createLocateVisitor(sources);
  }

  locate(address: string | null): Place {
    return this.#locate(address);
  }
}
