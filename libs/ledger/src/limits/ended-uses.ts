import { type Database, loadSql } from '@hopcount/postgres';

import { toIso } from '../buckets.js';
import { CountedUpTo, type CountedUpToOptions } from '../reconcile/counted-up-to.js';

const RETURN_ENDED_USES = loadSql(import.meta.url, 'sql/return-ended-uses.sql');
const HAS_ENDED = 'SELECT FROM link_uses WHERE ended_at IS NOT NULL LIMIT 1';
const USES_PER_RUN = 10_000;

export interface EndedUsesOptions extends CountedUpToOptions {
  /** A lost connection or a paused broker may deliver what a process sent so long after it had ended. */
  quietSeconds: number;
}

/**
 * Gives back uses that were taken and never became a visit. Their gateway, or the next one in its spool folder, has said
 * that nobody publishes their visits any more; so these are below the log's ends as they are read after that, or nowhere.
 * Once the checkpoints have passed those ends, a visit that is not counted will never be. Until somebody says so a use
 * stays used: one too few is better than one too many.
 */
export class EndedUses {
  readonly #counted: CountedUpTo;

  constructor(
    private readonly database: Database,
    private readonly options: EndedUsesOptions,
  ) {
    this.#counted = new CountedUpTo(database, options);
  }

  /** @returns how many uses were given back; the next run goes on. @throws when Kafka cannot be asked */
  async giveBack(): Promise<number> {
    if ((await this.database.query(HAS_ENDED)).length === 0) return 0;
    const countedUpTo = await this.#counted.measure();
    if (countedUpTo === undefined) return 0;
    const values = [toIso(countedUpTo), this.options.quietSeconds, USES_PER_RUN];
    const [row] = await this.database.query<{ uses: number }>(RETURN_ENDED_USES, values);
    return row?.uses ?? 0;
  }
}
