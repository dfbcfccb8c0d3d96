import { type Database, loadSql } from '@hopcount/postgres';
import { AppError } from '@hopcount/runtime';

import { LOCK_FOLD } from './host-fold.js';

const TAKE_LONGER = `SELECT set_config('statement_timeout', '2min', true)`;
/** Before the lock of the fold, as merges do. */
const LOCK_PEER = 'SELECT FROM host_peers WHERE dc = $1 FOR UPDATE';
const READ_PEER = `SELECT replicas::float8 AS replicas, coalesce(as_of > now() - interval '1 minute', false) AS "isFollowed"
  FROM host_peers WHERE dc = $1`;
const FORGET_REPLICAS = loadSql(import.meta.url, 'sql/forget-replicas.sql');
const DELETE_PEER = 'DELETE FROM host_peers WHERE dc = $1';
const COUNT_REFUSED_ANEW = 'UPDATE host_peers SET refused = 0 WHERE dc = $1 AND refused > 0';
const IS_PUBLISHING = 'SELECT FROM host_datacenter';
const FORGOTTEN_AT_ONCE = 5_000;

/** Peers that PostgreSQL knows, and how one leaves: none goes only since HOST_PEERS does not name it. */
export class KnownPeers {
  constructor(private readonly database: Database) {}

  /** @returns names and classes kept of it. @throws AppError `data-centre-not-found`, `data-centre-followed` */
  async look(dc: string): Promise<number> {
    const [peer] = await this.database.query<{ replicas: number; isFollowed: boolean }>(READ_PEER, [dc]);
    if (peer === undefined) throw new AppError('data-centre-not-found', `There is no peer "${dc}".`);
    if (peer.isFollowed) {
      throw new AppError(
        'data-centre-followed',
        `Workers follow "${dc}": take it out of HOST_PEERS, start them again and wait for a minute.`,
      );
    }
    return peer.replicas;
  }

  /**
   * Takes a peer and all it counted out of every sum. Stopped in the middle, the same call goes on.
   * @throws AppError `data-centre-not-found`, `data-centre-followed`
   */
  async forget(dc: string, atOnce = FORGOTTEN_AT_ONCE): Promise<number> {
    await this.look(dc);
    let forgotten = 0;
    for (let isMore = true; isMore;) {
      const gone = await this.database.transaction(async (tx) => {
        await tx.query(TAKE_LONGER);
        await tx.query(LOCK_PEER, [dc]);
        await tx.query(LOCK_FOLD);
        const [row] = await tx.query<{ gone: number }>(FORGET_REPLICAS, [dc, atOnce]);
        const some = row?.gone ?? 0;
        if (some < atOnce) await tx.query(DELETE_PEER, [dc]);
        return some;
      });
      forgotten += gone;
      isMore = gone === atOnce;
    }
    return forgotten;
  }

  /** Its topic is read from the beginning: what is refused is told again. */
  async countRefusedAnew(dc: string): Promise<void> {
    await this.database.execute(COUNT_REFUSED_ANEW, [dc]);
  }

  /** Where there are no peers any more: what changes is noted no longer. With peers again, a new epoch begins. @returns whether it was */
  async stopPublishing(): Promise<boolean> {
    if ((await this.database.query(IS_PUBLISHING)).length === 0) return false;
    await this.database.transaction(async (tx) => {
      await tx.query(TAKE_LONGER);
      await tx.query(LOCK_FOLD);
      await tx.query('DELETE FROM host_datacenter');
      await tx.query('TRUNCATE host_unpublished');
    });
    return true;
  }
}
