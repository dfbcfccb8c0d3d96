import type { StatementPool } from '@hopcount/postgres';
import type { Logger } from '@hopcount/runtime';

import { Repeated } from '../repeated.js';
import type { VisitSpool } from '../visits/visit-spool.js';

const REPORTS = { firstMs: 1_000, everyMs: 30_000 };
/** Those of processes whose spool another one took over go at once, the others a day after their last word. */
const SAY = `WITH gone AS (
    DELETE FROM gateway_states WHERE source = ANY($3) OR said_at < now() - interval '1 day' AND source <> $1
  )
  INSERT INTO gateway_states (source, spooled_visits) VALUES ($1, $2)
  ON CONFLICT (source) DO UPDATE SET spooled_visits = excluded.spooled_visits, said_at = now()`;
const LEAVE = 'DELETE FROM gateway_states WHERE source = $1';

/**
 * Tells PostgreSQL how many visits wait on this machine's disk: what Kafka cannot be told while it is away. Nothing depends
 * on it; it is for who operates this, and says as much as was true half a minute ago.
 */
export class StateReports {
  readonly #reports: Repeated;

  constructor(
    private readonly database: Pick<StatementPool, 'query'>,
    private readonly source: string,
    private readonly spool: Pick<VisitSpool, 'pendingEvents' | 'adoptedOwners'>,
    private readonly logger: Logger,
  ) {
    this.#reports = new Repeated(() => this.report(), REPORTS, logger);
  }

  start(): void {
    this.#reports.start();
  }

  /** The last word: none where nothing is left on the disk. Never rejects; PostgreSQL may be away. */
  async stop(): Promise<void> {
    await this.#reports.stop();
    await (this.spool.pendingEvents > 0 ? this.report() : this.database.query(LEAVE, [this.source])).catch(
      (error: unknown) => this.logger.debug({ err: error }, 'the row of this gateway stays'),
    );
  }

  /** @throws whatever PostgreSQL throws; then owners whose spool was taken over are told of the next time */
  async report(): Promise<void> {
    const owners = [...this.spool.adoptedOwners];
    await this.database.query(SAY, [this.source, this.spool.pendingEvents, owners]);
    for (const owner of owners) this.spool.adoptedOwners.delete(owner);
  }
}
