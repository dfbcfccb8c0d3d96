import { CELL_MS, type HostPast, surgeBase, WINDOW_MS } from '@hopcount/hosts';
import { BUCKET_MS } from '@hopcount/ledger';
import { loadSql, type Queryable } from '@hopcount/postgres';

const READ_PASTS = loadSql(import.meta.url, 'sql/read-pasts.sql');
/** Of one statement. */
const HOSTS_AT_ONCE = 200;
/** Of a host with more names below it the visits of some are left out: its past is smaller than it was. */
const MOST_NAMES_BELOW = 20_000;

/** A name of one kind (its place in HOST_KINDS), labels reversed. */
interface NamedHost {
  kind: number;
  name: string;
}

interface PastRow {
  /** From 1 on. */
  place: number;
  since: number | null;
  buckets: [bucket: number, visits: number][];
  surges: [opened: number, closed: number | null][];
}

/** What hosts had in the quarters of an hour that a surge is held against: in the reporting zone, their own surges left out. */
export class HostPasts {
  constructor(
    private readonly database: Queryable,
    private readonly daysBefore: HostPast['daysBefore'],
  ) {}

  /** For windows that end in `bucket`, in the order of `hosts`. */
  async read(hosts: readonly NamedHost[], bucket: number): Promise<HostPast[]> {
    const buckets = this.#bucketsFor(bucket).map((at) => new Date(at));
    const pasts: HostPast[] = [];
    for (let from = 0; from < hosts.length; from += HOSTS_AT_ONCE) {
      const part = hosts.slice(from, from + HOSTS_AT_ONCE);
      const [kinds, names] = [part.map(({ kind }) => kind), part.map(({ name }) => name)];
      const rows = await this.database.query<PastRow>(READ_PASTS, [kinds, names, buckets, MOST_NAMES_BELOW]);
      for (const row of rows) pasts[from + row.place - 1] = this.#toPast(row);
    }
    return pasts;
  }

  /** Asked of the rule itself: whatever it looks at when the window touches the bucket before, too. */
  #bucketsFor(bucket: number): number[] {
    const asked = new Set<number>();
    const visitsIn = (one: number) => void asked.add(one);
    surgeBase({ visitsIn, daysBefore: this.daysBefore }, bucket + CELL_MS);
    return [...asked];
  }

  #toPast({ since, buckets, surges }: PastRow): HostPast {
    const visits = new Map(buckets);
    const surged = (bucket: number) =>
      surges.some(([opened, closed]) => bucket + BUCKET_MS > opened - WINDOW_MS && bucket < (closed ?? Infinity));
    return {
      visitsIn: (bucket) =>
        since === null || bucket < since || surged(bucket) ? undefined : (visits.get(bucket) ?? 0),
      daysBefore: this.daysBefore,
    };
  }
}
