import { createLocateVisitor, loadGeoSources, type Place } from '@hopcount/links/visitors';
import type { Logger } from '@hopcount/runtime';

/** Places of addresses, from files of 130 MB together that are only loaded once a rule asks for a place. */
export class Places {
  #locate: (address: string | null) => Place = createLocateVisitor([]);
  #loading: Promise<void> | undefined;
  #isLoaded = false;

  constructor(
    private readonly files: readonly string[],
    private readonly logger: Logger,
  ) {}

  /** Undefined when the files are there. Never rejects: without a file its places are unknown, and no rule about them holds. */
  load(): Promise<void> | undefined {
    if (this.#isLoaded) return undefined;
    this.#loading ??= loadGeoSources(this.files, { logger: this.logger, onBroken: () => undefined }).then((sources) => {
      this.#locate = createLocateVisitor(sources);
      this.#isLoaded = true;
    });
    return this.#loading;
  }

  locate(address: string | null): Place {
    return this.#locate(address);
  }
}
