import { isServerAway, postgresErrorCode } from '@hopcount/postgres';

/** No other hour or file would fare better. */
const OURS = new Set(['archive-folder-missing', 'archive-store-away', 'archive-no-space', 'ENOSPC', 'EDQUOT']);

export interface Failure {
  what: string;
  error: unknown;
}

/** Things to do one after the other, of which one that fails delays only itself. */
export class Attempts {
  readonly failed: Failure[] = [];

  constructor(private readonly signal?: AbortSignal | undefined) {}

  /** Does nothing once the run is stopped. @throws what is the failure of all: PostgreSQL or the store away, no space, or told to stop */
  async run(what: string, work: () => Promise<void>): Promise<void> {
    if (this.#isStopped) return;
    try {
      await work();
    } catch (error) {
      this.#throwIfOver(error);
      this.failed.push({ what, error });
    }
  }

  /** For what can be done another way. @returns false when it failed. @throws as `run` */
  async succeeds(work: () => Promise<void>): Promise<boolean> {
    if (this.#isStopped) return true;
    try {
      await work();
      return true;
    } catch (error) {
      this.#throwIfOver(error);
      return false;
    }
  }

  #throwIfOver(error: unknown): void {
    if (this.#isStopped || endsAll(error)) throw error;
  }

  get #isStopped(): boolean {
    return this.signal?.aborted === true;
  }
}

/** A limit that one hour met (time, memory, temporary space of the server) is its own failure. */
function endsAll(error: unknown): boolean {
  return OURS.has(postgresErrorCode(error)) || isServerAway(error);
}
