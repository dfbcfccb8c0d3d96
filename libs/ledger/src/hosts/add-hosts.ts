import { HOST_KINDS, type HostKind } from '@hopcount/contracts';
import { ancestorsOf } from '@hopcount/hosts';
import { arrayLiteral, loadSql, type Transaction } from '@hopcount/postgres';

import { type NewHost, planHosts } from './plan-hosts.js';

const COUNT_HOSTS = 'SELECT kind, count(*)::integer AS hosts FROM hosts GROUP BY kind';
const READ_CHILDREN = loadSql(import.meta.url, 'sql/read-children.sql');
const INSERT_HOSTS = loadSql(import.meta.url, 'sql/insert-hosts.sql');
const ADD_CHILDREN = loadSql(import.meta.url, 'sql/add-children.sql');

/** From so many on everything new counts at `~rest` of its parent. */
export interface HostLimits {
  /** Children of a parent; and at the top and of public suffixes, where each child is somebody else's. */
  children: number;
  childrenOfSuffix: number;
  isSuffix: (name: string) => boolean;
  /** Names of a kind. Anybody can write referrers. */
  hosts: Record<HostKind, number>;
}

export const HOST_LIMITS: HostLimits = {
  children: 10_000,
  childrenOfSuffix: 1_000_000,
  isSuffix: () => false,
  hosts: { target: 5_000_000, referrer: 2_500_000, short: 1_000_000, fed: 5_000_000 },
};

/** Names of a kind are counted once a process, and then so many additions later: others add, too. */
const COUNTED_AGAIN_AFTER = 100_000;

export interface KindName {
  kind: number;
  name: string;
}

/**
 * Gives names their rows, those of their ancestors among them. Whoever calls it keeps others from doing so. Names of peers get some only while half
 * of each limit is left, and no `~rest`: none of theirs keeps one of our own from being told apart.
 */
export class HostAdder {
  #counts: Map<number, number> | undefined;
  #added = 0;

  constructor(
    private readonly limits: HostLimits,
    private readonly whose: 'own' | 'peers' = 'own',
  ) {}

  /** @returns how many rows */
  async add(tx: Transaction, names: readonly KindName[]): Promise<number> {
    const counts = await this.#count(tx);
    const kinds = [...new Set(names.map(({ kind }) => kind))];
    const namesOf = new Map(
      kinds.map((kind) => [kind, names.filter((one) => one.kind === kind).map(({ name }) => name)]),
    );
    const childrenOf = await readChildren(tx, namesOf);
    const added: (NewHost & KindName)[] = [];
    const grown: (KindName & { children: number })[] = [];
    for (const [kind, some] of namesOf) {
      const plan = planHosts(
        some,
        childrenOf.get(kind) ?? NO_CHILDREN,
        this.#limitOf(kind, counts),
        this.whose === 'own',
      );
      for (const host of plan.hosts) added.push({ kind, ...host });
      for (const [name, children] of plan.grown) grown.push({ kind, name, children });
      counts.set(kind, (counts.get(kind) ?? 0) + plan.hosts.length);
    }
    this.#added += added.length;
    // Parents first: a row has its parent's id.
    for (const level of levelsOf(added)) {
      const parents = arrayLiteral(level.map(({ parent }) => parent));
      await tx.query(INSERT_HOSTS, [...columnsOf(level), parents]);
    }
    if (grown.length > 0) await tx.query(ADD_CHILDREN, columnsOf(grown));
    return added.length;
  }

  /** What was added may not be there. */
  forget(): void {
    this.#counts = undefined;
  }

  async #count(tx: Transaction): Promise<Map<number, number>> {
    if (this.#counts !== undefined && this.#added < COUNTED_AGAIN_AFTER) return this.#counts;
    const rows = await tx.query<{ kind: number; hosts: number }>(COUNT_HOSTS);
    this.#added = 0;
    return (this.#counts = new Map(rows.map(({ kind, hosts }) => [kind, hosts])));
  }

  #limitOf(kind: number, counts: ReadonlyMap<number, number>): (parent: string | null) => number {
    const { hosts, children, childrenOfSuffix, isSuffix } = this.limits;
    const kindName = HOST_KINDS[kind];
    const share = this.whose === 'own' ? 1 : 0.5;
    if (kindName === undefined || (counts.get(kind) ?? 0) >= hosts[kindName] * share) return () => 0;
    return (parent) => (parent === null || isSuffix(parent) ? childrenOfSuffix : children) * share;
  }
}

const NO_CHILDREN: ReadonlyMap<string | null, number> = new Map();

/** Children of all ancestors that have rows, and of the top. */
async function readChildren(tx: Transaction, namesOf: ReadonlyMap<number, readonly string[]>) {
  const ancestors: KindName[] = [];
  for (const [kind, names] of namesOf) {
    for (const name of new Set(names.flatMap(ancestorsOf))) ancestors.push({ kind, name });
  }
  const rows = await tx.query<{ kind: number; name: string | null; children: number }>(READ_CHILDREN, [
    arrayLiteral(ancestors.map(({ kind }) => kind)),
    arrayLiteral(ancestors.map(({ name }) => name)),
  ]);
  const childrenOf = new Map([...namesOf.keys()].map((kind) => [kind, new Map<string | null, number>()]));
  for (const { kind, name, children } of rows) childrenOf.get(kind)?.set(name, children);
  return childrenOf;
}

function levelsOf<Host extends KindName>(hosts: readonly Host[]): Host[][] {
  const levels = new Map<number, Host[]>();
  for (const host of hosts) {
    const labels = host.name.split('.').length;
    const level = levels.get(labels);
    if (level === undefined) levels.set(labels, [host]);
    else level.push(host);
  }
  return [...levels].sort(([a], [b]) => a - b).map(([, level]) => level);
}

function columnsOf(hosts: readonly (KindName & { children: number })[]): unknown[] {
  return [
    arrayLiteral(hosts.map(({ kind }) => kind)),
    arrayLiteral(hosts.map(({ name }) => name)),
    arrayLiteral(hosts.map(({ children }) => children)),
  ];
}
