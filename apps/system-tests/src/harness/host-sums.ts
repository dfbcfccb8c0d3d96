/** Visits by kind, name and class of a host: what two data centres have to agree on. */
export type HostSums = ReadonlyMap<string, number>;

/** Rows of a statement of one database. */
type Query = (statement: string) => Promise<{ key: string; visits: number }[]>;

const LEDGER = `SELECT kind || ' ' || host || ' ' || class AS key, count(*)::int AS visits
  FROM visits, visit_hosts(target_host, short_host, referrer_host) GROUP BY 1`;
const totalsOf = (where: string) => `SELECT hosts.kind || ' ' || name || ' ' || class AS key, sum(p - n)::int AS visits
  FROM host_totals JOIN hosts ON hosts.id = host_id WHERE ${where} GROUP BY 1 HAVING sum(p - n) <> 0`;

/** What a data centre has of hosts: its ledger, its own totals, what its peers said, and all together. */
export class HostSumsOf {
  constructor(private readonly query: Query) {}

  ledger = () => this.#sums(LEDGER);
  ownTotals = () => this.#sums(totalsOf(`dc = ''`));
  peerTotals = () => this.#sums(totalsOf(`dc <> ''`));
  totals = () => this.#sums(totalsOf('true'));

  async #sums(statement: string): Promise<HostSums> {
    return new Map((await this.query(statement)).map(({ key, visits }) => [key, visits]));
  }
}

/** How many visits they are of: each has one target. */
export function visitsOf(sums: HostSums): number {
  return [...sums].reduce((all, [key, visits]) => all + (key.startsWith('0 ') ? visits : 0), 0);
}

export function added(one: HostSums, other: HostSums): HostSums {
  const sums = new Map(one);
  for (const [key, visits] of other) sums.set(key, (sums.get(key) ?? 0) + visits);
  return sums;
}
