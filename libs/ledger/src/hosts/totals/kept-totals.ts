import { HOST_KINDS, VISIT_CLASSES } from '@hopcount/contracts';
import { HostTree } from '@hopcount/hosts';
import { loadSql, type Transaction } from '@hopcount/postgres';

const READ_MOMENT = loadSql(import.meta.url, 'sql/read-moment.sql');
const READ_CHANGES = loadSql(import.meta.url, 'sql/read-changes.sql');
const READ_UNFOLDED = loadSql(import.meta.url, 'sql/read-unfolded.sql');
const FIND_PLACES = loadSql(import.meta.url, 'sql/find-places.sql');
/** Each name comes once at least: what is above another has a row. */
const DECLARE_TOTALS = `DECLARE totals NO SCROLL CURSOR FOR
  SELECT hosts.kind, name, coalesce(class, 0) AS class, coalesce(p - n, 0)::float8 AS visits
  FROM hosts LEFT JOIN host_totals AS totals ON totals.kind = hosts.kind AND host_id = id AND dc = ''`;
const ROWS_AT_ONCE = 2_000;
const FETCH_TOTALS = `FETCH ${ROWS_AT_ONCE} FROM totals`;
/** Of one look. */
const MOST_SUMS = 300_000;
/** Names without a place, which the fold gives them within seconds: each answer looks through them. */
const MOST_WAITING = 10_000;

export interface HostSum {
  kind: number;
  name: string;
  class: number;
  visits: number;
}

interface Moment {
  snapshot: string;
  asOf: Date;
  /** Of the ledger: another one may lack what this one had. */
  incarnation: string;
  /** Totals are without all that was purged. */
  isAttributed: boolean;
}

/** Of one snapshot. By kind: names that have a row in PostgreSQL, and by name and class what counts at none of those yet. */
export interface KeptTotals extends Moment {
  trees: HostTree[];
  waiting: Map<string, number[]>[];
}

/** All that a transaction sees. @returns undefined: there are peers, more names than may be kept, or too many without a place */
export async function loadTotals(tx: Transaction, mostNames: number): Promise<KeptTotals | undefined> {
  const { hasPeers, ...moment } = await readMoment(tx);
  if (hasPeers) return undefined;
  // Those of PostgreSQL are what there is; it bounds them, too.
  const trees = HOST_KINDS.map(() => new HostTree(VISIT_CLASSES.length, { ofNames: Infinity, ofSuffixes: Infinity }));
  const kept = { ...moment, trees, waiting: HOST_KINDS.map(() => new Map<string, number[]>()) };
  await tx.query(DECLARE_TOTALS);
  for (let rows = ROWS_AT_ONCE; rows === ROWS_AT_ONCE;) {
    const some = await tx.query<HostSum>(FETCH_TOTALS);
    for (const sum of some) add(kept, sum.name, sum);
    rows = some.length;
    if (!isBounded(kept, mostNames)) return undefined;
  }
  const unfolded = await tx.query<HostSum>(READ_UNFOLDED, [MOST_SUMS + 1]);
  return addChanges(tx, kept, unfolded, mostNames);
}

/** What a later transaction sees, from what an earlier one did. @returns undefined: it has to be loaded */
export async function readOn(tx: Transaction, kept: KeptTotals, mostNames: number): Promise<KeptTotals | undefined> {
  const { isPutRight, hasPeers, ...moment } = await readMoment(tx, kept);
  if (isPutRight || hasPeers) return undefined;
  const changes = await tx.query<HostSum>(READ_CHANGES, [kept.snapshot, MOST_SUMS + 1]);
  return addChanges(tx, kept, changes, mostNames, moment);
}

async function readMoment(tx: Transaction, since?: Moment) {
  const [moment] = await tx.query<Moment & { hasPeers: boolean; isPutRight: boolean }>(READ_MOMENT, [
    since?.snapshot ?? null,
    since?.incarnation ?? null,
  ]);
  if (moment === undefined) throw new Error('a statement without FROM answers one row');
  return moment;
}

/** Nothing is added before all is read: who fails has added nothing, and whoever reads meanwhile sees one snapshot. */
async function addChanges(
  tx: Transaction,
  kept: KeptTotals,
  changes: readonly HostSum[],
  mostNames: number,
  moment: Moment = kept,
): Promise<KeptTotals | undefined> {
  if (changes.length > MOST_SUMS) return undefined;
  const places = await findPlaces(tx, kept, changes);
  for (const sum of changes) {
    if (kept.trees[sum.kind]?.nodes.find(sum.name) !== undefined) add(kept, sum.name, sum);
    else wait(kept, sum);
  }
  for (const { kind, name, place } of places) {
    kept.waiting[kind]?.get(name)?.forEach((visits, visitClass) => {
      if (visits !== 0) add(kept, place, { kind, name, class: visitClass, visits });
    });
    kept.waiting[kind]?.delete(name);
  }
  const { snapshot, asOf, incarnation, isAttributed } = moment;
  Object.assign(kept, { snapshot, asOf, incarnation, isAttributed });
  return isBounded(kept, mostNames) ? kept : undefined;
}

function add({ trees }: KeptTotals, place: string, { kind, class: visitClass, visits }: HostSum): void {
  trees[kind]?.addByName(place, visitClass, visits);
}

function wait({ waiting }: KeptTotals, { kind, name, class: visitClass, visits }: HostSum): void {
  const sums = waiting[kind]?.get(name) ?? VISIT_CLASSES.map(() => 0);
  sums[visitClass] = (sums[visitClass] ?? 0) + visits;
  waiting[kind]?.set(name, sums);
}

/** Of names that have none here: changed ones, and those that waited before. */
async function findPlaces(tx: Transaction, { trees, waiting }: KeptTotals, changes: readonly HostSum[]) {
  const asked = new Map<string, Pick<HostSum, 'kind' | 'name'>>();
  waiting.forEach((names, kind) => {
    for (const name of names.keys()) asked.set(`${kind} ${name}`, { kind, name });
  });
  for (const { kind, name } of changes)
    if (trees[kind]?.nodes.find(name) === undefined) asked.set(`${kind} ${name}`, { kind, name });
  if (asked.size === 0) return [];
  const names = [...asked.values()];
  const values = [names.map(({ kind }) => kind), names.map(({ name }) => name)];
  return tx.query<{ kind: number; name: string; place: string }>(FIND_PLACES, values);
}

function isBounded({ trees, waiting }: KeptTotals, mostNames: number): boolean {
  const names = trees.reduce((sum, { nodes }) => sum + nodes.size, 0);
  const homeless = waiting.reduce((sum, { size }) => sum + size, 0);
  return names <= mostNames + trees.length && homeless <= MOST_WAITING;
}
