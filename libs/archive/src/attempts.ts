import { classifyPostgresError, postgresErrorCode } from '@hopcount/postgres';

/** query_canceled: what was in hand is too large for the statement limit; PostgreSQL is well. */
const TOO_LONG = '57014';

export interface Failure {
  what: string;
  error: unknown;
}

/** Things to do one after the other, of which one that fails delays only itself. */
export class Attempts {
  readonly failed: Failure[] = [];

  constructor(private readonly signal: AbortSignal | undefined) {}

  /** Does nothing once the run is stopped. @throws what is the failure of all: PostgreSQL away, or told to stop */
  async run(what: string, work: () => Promise<void>): Promise<void> {
    if (this.signal?.aborted === true) return;
    try {
      await work();
    } catch (error) {
      if (this.#endsAll(error)) throw error;
      this.failed.push({ what, error });
    }
  }

  #endsAll(error: unknown): boolean {
    if (this.signal?.aborted === true) return true;
    return classifyPostgresError(error) === 'unavailable' && postgresErrorCode(error) !== TOO_LONG;
  }
}
