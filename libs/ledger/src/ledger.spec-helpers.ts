import { Database } from '@hopcount/postgres';
import type { LinkLocks } from '@hopcount/redis';
import { testDatabase, type TestDatabase } from '@hopcount/testing';

import type { EnrichedVisit } from './commit/enriched-visit.js';
import { PartitionCheckpoints } from './commit/partition-checkpoints.js';
import { VisitCommitter } from './commit/visit-committer.js';
import { LinkTotals } from './slots/link-totals.js';
import { StatisticsVerifier } from './verify/statistics-verifier.js';

/** Every test of exactness runs without any lock first: PostgreSQL alone must get it right. */
export const noLock: Pick<LinkLocks, 'aroundWrite'> = {
  aroundWrite: (_links, work) => work(new AbortController().signal),
};

/** A ledger with links, committed to as consumers do. */
export class Ledger {
  #partitions = 0;

  private constructor(
    readonly server: TestDatabase,
    readonly database: Database,
  ) {}

  static async open(): Promise<Ledger> {
    const server = await testDatabase();
    await server.query(`INSERT INTO domains (authority, is_default) VALUES ('s.test', true)`);
    return Ledger.on(server);
  }

  static async on(server: TestDatabase): Promise<Ledger> {
    return new Ledger(server, await Database.connect({ url: server.url, applicationName: 'spec' }));
  }

  async close(): Promise<void> {
    await this.database.close();
    await this.server.drop();
  }

  async addLink(id: string): Promise<void> {
    await this.server.query(
      `INSERT INTO links (id, domain_id, code, long_url) SELECT $1::bigint, id, $1::text, 'https://example.com/' FROM domains`,
      [id],
    );
  }

  /** A consumer of a partition of its own. */
  async consumer(slots: number | 'off' = 8, through = this.database) {
    const committer = new VisitCommitter(through, { slots });
    const ref = { group: 'purge-spec', topic: 'visits', partition: this.#partitions++ };
    let checkpoint = await new PartitionCheckpoints(this.database).takeOwnership(ref, 'spec');
    return async (visits: readonly EnrichedVisit[]) => {
      const nextOffset = checkpoint.nextOffset + BigInt(visits.length);
      const result = await committer.commit({ checkpoint, nextOffset, lastRecordAtMs: Date.now(), visits });
      checkpoint = result.checkpoint;
      return result;
    };
  }

  async eventIds(linkId: string): Promise<string[]> {
    const rows = await this.server.query<{ event_id: string }>(
      'SELECT event_id FROM visits WHERE link_id = $1 ORDER BY event_id',
      [linkId],
    );
    return rows.map((row) => row.event_id);
  }

  /** What every kept number says beside the ledger; [] when all is well. */
  async differences(slots: 'on' | 'off' = 'on') {
    while (!(await new LinkTotals(this.database, slots === 'on' ? 'slots' : 'traffic').refresh()).complete);
    return (await new StatisticsVerifier(this.database).verify({ slots })).differences;
  }

  async count(table: string, linkId: string): Promise<number> {
    const [row] = await this.server.query<{ n: number }>(`SELECT count(*)::int AS n FROM ${table} WHERE link_id = $1`, [
      linkId,
    ]);
    return row?.n ?? 0;
  }
}

/** A place of the code under test that waits to be told to go on. */
export function pausePoint() {
  let arrive = () => {};
  let goOn = () => {};
  const reached = new Promise<void>((resolve) => (arrive = resolve));
  const released = new Promise<void>((resolve) => (goOn = resolve));
  return { reached, goOn: () => goOn(), pause: () => (arrive(), released) };
}

/** Whose transactions pause before COMMIT, with all their row locks. */
export function pausingBeforeCommit(database: Database, point: Pick<ReturnType<typeof pausePoint>, 'pause'>): Database {
  const slow: Pick<Database, 'transaction' | 'query'> = {
    query: (text, values) => database.query(text, values),
    transaction: (work) =>
      database.transaction(async (tx) => {
        const result = await work(tx);
        await point.pause();
        return result;
      }),
  };
  return slow as Database;
}

/** Whose transactions pause between the rows of their visits and all that follows. */
export function pausingOnceInserted(database: Database, point: Pick<ReturnType<typeof pausePoint>, 'pause'>): Database {
  const slow: Pick<Database, 'transaction'> = {
    transaction: (work) =>
      database.transaction((tx) =>
        work({
          ...tx,
          query: async <Row>(text: string, values?: unknown[]) => {
            const rows = await tx.query<Row>(text, values);
            if (text.includes('INSERT INTO visits')) await point.pause();
            return rows;
          },
        }),
      ),
  };
  return slow as Database;
}

export const idsOf = (visits: readonly EnrichedVisit[]) => visits.map((visit) => visit.eventId).sort();
