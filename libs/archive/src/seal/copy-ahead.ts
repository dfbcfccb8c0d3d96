import type { InstantRange } from '@hopcount/ledger';

import { type CopiedRange, copyRange } from './ledger-copies.js';
import type { SealParts } from './visit-sealer.js';

/** A copy, and the ledger's life and labels that it is of. */
export type Copied = CopiedRange & { incarnation: string; labels: string };

/**
 * The rows of a stretch on their way out of PostgreSQL while DuckDB writes one before: each waits for the other else.
 */
export class CopyAhead {
  readonly #stopping = new AbortController();
  readonly #stop = () => this.#stopping.abort();
  readonly #copied: Promise<Copied>;
  readonly #gone: Promise<void>;
  #release: () => void = () => undefined;

  constructor(
    { database, work, manifest }: Pick<SealParts, 'database' | 'work' | 'manifest'>,
    range: InstantRange,
    private readonly signal: AbortSignal | undefined,
  ) {
    signal?.addEventListener('abort', this.#stop);
    const released = new Promise<void>((resolve) => (this.#release = resolve));
    let gone: Promise<void> = Promise.resolve();
    this.#copied = new Promise<Copied>((resolve, reject) => {
      gone = work
        .aside((kept) =>
          work.aside(async (ledger) => {
            // Before the rows: a database restored, or labelled anew, since is noticed when the file shall count.
            const [incarnation, labels] = [await manifest.incarnation(), await manifest.labels()];
            await copyRange(database, range, { kept, ledger }, this.#stopping.signal);
            resolve({ kept, ledger, incarnation, labels });
            await released;
          }),
        )
        .catch(reject);
    });
    // Nobody may be waiting for it yet.
    this.#copied.catch(() => undefined);
    this.#gone = gone;
  }

  /** @throws what the copying failed with */
  ready(): Promise<Copied> {
    return this.#copied;
  }

  /** Ends the copying if it is not done, and removes its files. */
  async drop(): Promise<void> {
    this.signal?.removeEventListener('abort', this.#stop);
    this.#stopping.abort();
    this.#release();
    await this.#gone;
  }
}
