import { type Database, loadSql, type Transaction } from '@hopcount/postgres';
import { failpoint } from '@hopcount/runtime';

import { hostParent } from './host-name.js';
import { type HostLimits, planHosts } from './plan-hosts.js';

/** Nobody folds until the end of the transaction. */
export const LOCK_FOLD = "SELECT pg_advisory_xact_lock(hashtext('fold-hosts'))";
const TRY_LOCK = "SELECT pg_try_advisory_xact_lock(hashtext('fold-hosts')) AS locked";
const PICK_CHANGES = loadSql(import.meta.url, 'sql/pick-changes.sql');
const READ_CHILDREN = `SELECT name, children FROM hosts WHERE name = ANY ($1::text[])
  UNION ALL SELECT NULL, count(*) FROM hosts WHERE parent_id IS NULL`;
const ADD_HOSTS = 'INSERT INTO hosts (name) SELECT unnest($1::text[])';
const LINK_HOSTS = loadSql(import.meta.url, 'sql/link-hosts.sql');
const FOLD_CHANGES = loadSql(import.meta.url, 'sql/fold-changes.sql');
const EXPIRE_CHANGES = loadSql(import.meta.url, 'sql/expire-changes.sql');
const COUNT_WAITING = 'SELECT count(*)::integer AS waiting FROM host_changes WHERE folded_at IS NULL';

/** Changes of one transaction, a batch's visits each; and how many transactions one run has. */
const CHANGES_AT_ONCE = 100;
const FOLDS_OF_RUN = 20;
/** Whoever follows changes reads them within. */
const KEPT_MINUTES = 15;
const EXPIRED_AT_ONCE = 5_000;

/** Children with counts of their own; everything new counts at its parent's rest from so many hosts on. */
const LIMITS = { children: 10_000, childrenOfTop: 1_000_000 };
const MOST_HOSTS = 5_000_000;

interface HostFoldReport {
  /** Changes folded and removed, and hosts that are new. */
  folded: number;
  expired: number;
  hosts: number;
  /** Left for the next run. */
  waiting: number;
}

interface HostFoldSettings {
  changesAtOnce: number;
  foldsOfRun: number;
  keptMinutes: number;
}

/**
 * Adds what commits and others said of hosts to `host_traffic` and `host_totals`. Each transaction folds some changes and marks them, so
 * changes that are not marked and traffic are what is counted, at every moment; PostgreSQL keeps two folders apart.
 */
export class HostFold {
  readonly #limits: HostLimits;
  readonly #changesAtOnce: number;

  constructor(
    private readonly database: Database,
    private readonly settings: Partial<HostLimits> & Partial<HostFoldSettings> = {},
  ) {
    this.#limits = { ...LIMITS, ...settings };
    this.#changesAtOnce = settings.changesAtOnce ?? CHANGES_AT_ONCE;
  }

  async fold(signal?: AbortSignal): Promise<HostFoldReport> {
    const report = { folded: 0, expired: 0, hosts: 0, waiting: 0 };
    const folds = this.settings.foldsOfRun ?? FOLDS_OF_RUN;
    for (let run = 0; run < folds && signal?.aborted !== true; run += 1) {
      const { folded, hosts } = await this.database.transaction((tx) => this.#foldSome(tx));
      report.folded += folded;
      report.hosts += hosts;
      if (folded < this.#changesAtOnce) break;
    }
    const minutes = this.settings.keptMinutes ?? KEPT_MINUTES;
    report.expired = (await this.database.execute(EXPIRE_CHANGES, [minutes, EXPIRED_AT_ONCE])).affected;
    const [row] = await this.database.query<{ waiting: number }>(COUNT_WAITING);
    return { ...report, waiting: row?.waiting ?? 0 };
  }

  async #foldSome(tx: Transaction): Promise<{ folded: number; hosts: number }> {
    const [lock] = await tx.query<{ locked: boolean }>(TRY_LOCK);
    if (lock?.locked !== true) return { folded: 0, hosts: 0 };
    const [picked] = await tx.query<{ ids: string[]; names: string[]; known: number }>(PICK_CHANGES, [
      this.#changesAtOnce,
    ]);
    if (picked === undefined || picked.ids.length === 0) return { folded: 0, hosts: 0 };
    const hosts = picked.names.length === 0 ? 0 : await this.#addHosts(tx, picked.names, picked.known);
    failpoint('fold-hosts.mid-transaction');
    const [row] = await tx.query<{ rows: number }>(FOLD_CHANGES, [picked.ids]);
    return { folded: row?.rows ?? 0, hosts };
  }

  async #addHosts(tx: Transaction, names: readonly string[], known: number): Promise<number> {
    const ancestors = new Set<string>();
    for (const name of names) {
      for (let parent = hostParent(name); parent !== null && !ancestors.has(parent); parent = hostParent(parent))
        ancestors.add(parent);
    }
    const rows = await tx.query<{ name: string | null; children: string }>(READ_CHILDREN, [[...ancestors]]);
    const childrenOf = new Map(rows.map((row) => [row.name, Number(row.children)]));
    const hosts = planHosts(names, childrenOf, known < MOST_HOSTS ? this.#limits : { children: 0, childrenOfTop: 0 });
    const added = hosts.map((host) => host.name);
    await tx.query(ADD_HOSTS, [added]);
    await tx.query(LINK_HOSTS, [added, hosts.map((host) => host.parent)]);
    return hosts.length;
  }
}
