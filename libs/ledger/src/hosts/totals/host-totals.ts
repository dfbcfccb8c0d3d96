import { HOST_KINDS, type HostKind, type HostScope, VISIT_CLASSES } from '@hopcount/contracts';
import { type HostTree, isBelow, parentOf } from '@hopcount/hosts';
import type { Database } from '@hopcount/postgres';
import { isAppError } from '@hopcount/runtime';

import { MAX_TAIL_AGE_MS } from '../host-tail.js';
import { type KeptTotals, loadTotals, readOn } from './kept-totals.js';

const TRIED_AGAIN_AFTER_MS = 60_000;
/** Beyond that many labels a name counts at one above it (host_place() of PostgreSQL). */
const MOST_LABELS = 8;

export interface HostTotal {
  /** By the number of the class; of all time. */
  visits: number[];
  children: number;
  lumped: boolean;
  /** All that was committed by then, and nothing else. */
  asOf: Date;
  /** False: what was purged of dropped months is not out of it yet. */
  isAttributed: boolean;
}

/**
 * Visits of all time by host in memory, as PostgreSQL has them at one snapshot after another: loaded once, then followed by what each look
 * sees and the look before did not. What it cannot know exactly it does not answer: with peers, and beyond so many names.
 */
export class HostTotals {
  #kept: KeptTotals | undefined;
  #readAtMs = Number.NEGATIVE_INFINITY;
  #refusedAtMs = Number.NEGATIVE_INFINITY;

  /** @param settings names of all kinds: with more of them nothing is kept. Each takes about 100 bytes, and 24 more for a class that has visits */
  constructor(
    private readonly database: Pick<Database, 'transaction'>,
    private readonly settings: { names: number },
  ) {}

  /** Loads, or reads what was committed since. Failed, what was known stays, as of then. */
  async follow(): Promise<void> {
    const since = performance.now() - this.#readAtMs > MAX_TAIL_AGE_MS ? undefined : this.#kept;
    if (since === undefined && performance.now() - this.#refusedAtMs < TRIED_AGAIN_AFTER_MS) return;
    const readAtMs = performance.now();
    this.#kept = await this.#read(since);
    if (this.#kept === undefined) this.#refusedAtMs = readAtMs;
    this.#readAtMs = readAtMs;
  }

  #read(since: KeptTotals | undefined): Promise<KeptTotals | undefined> {
    const { names } = this.settings;
    return this.database
      .transaction(async (tx) => (since && (await readOn(tx, since, names))) ?? (await loadTotals(tx, names)), {
        isolation: 'REPEATABLE READ',
        readOnly: true,
      })
      .catch((error: unknown) => {
        if (isAppError(error, 'host-sum-too-large')) return undefined;
        throw error;
      });
  }

  /** Since it is known what the totals were, in ms. */
  get ageMs(): number {
    return this.#kept === undefined ? Infinity : performance.now() - this.#readAtMs;
  }

  get size(): { names: number; bytes: number } {
    const trees = this.#kept?.trees ?? [];
    return {
      names: sumOf(trees.map(({ nodes }) => nodes.size - 1)),
      bytes: sumOf(trees.map(({ bytes }) => bytes)),
    };
  }

  /** @returns undefined: only PostgreSQL knows */
  read({ kind, name, scope }: { kind: HostKind; name: string; scope: HostScope }): HostTotal | undefined {
    const kept = this.#kept;
    if (kept === undefined || name.split('.', MOST_LABELS + 1).length > MOST_LABELS) return undefined;
    const tree = kept.trees[HOST_KINDS.indexOf(kind)] as HostTree;
    const sums = tree.read(name, scope);
    const visits = sums?.visits ?? VISIT_CLASSES.map(() => 0);
    for (const [host, more] of kept.waiting[HOST_KINDS.indexOf(kind)] ?? []) {
      if (!isWithin(host, name, scope)) continue;
      more.forEach((count, visitClass) => (visits[visitClass] = (visits[visitClass] ?? 0) + count));
    }
    const lumped = sums?.isLumped ?? tree.isLumped(name);
    return { visits, children: sums?.children ?? 0, lumped, asOf: kept.asOf, isAttributed: kept.isAttributed };
  }
}

/** A name that has no place yet has one of its own. */
function isWithin(host: string, name: string, scope: HostScope): boolean {
  if (scope === 'self') return host === name;
  if (scope === 'children') return parentOf(host) === name;
  return isBelow(host, name) || (host === name && scope === 'subtree');
}

function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, one) => sum + one, 0);
}
