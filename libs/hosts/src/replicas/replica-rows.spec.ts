import { describe, expect, it } from '@jest/globals';

import { randomOf } from '../windows/simulation.spec-helpers.js';
import { isNewer, type ReplicaRow, rowsAfterLoss } from './replica-rows.js';

const HISTORIES = 20_000;
const CENTRES = [0, 1, 2];
const KEYS = ['a', 'b', 'c'];
type Rows = Map<string, ReplicaRow>;
interface Message {
  from: number;
  key: string;
  row: ReplicaRow;
  /** Since the last message of the key. */
  delta: number;
}
/** How a copy takes a message. */
type Merge = (kept: ReplicaRow | undefined, message: Message) => ReplicaRow;

const MERGES: Record<'epochAndSum' | 'sumOnly' | 'deltas', Merge> = {
  epochAndSum: (kept, { row }) => (isNewer(row, kept) ? row : (kept as ReplicaRow)),
  sumOnly: (kept, { row }) => (kept !== undefined && kept.p + kept.n >= row.p + row.n ? kept : row),
  deltas: (kept, { delta }) => ({ epoch: 0, p: (kept?.p ?? 0) + delta, n: 0 }),
};

/** A data centre: its rows, what it published (a compacted topic), what it holds of the others. */
class Centre {
  rows: Rows = new Map();
  epoch = 0;
  backup: Rows = new Map();
  readonly dirty = new Set<string>();
  readonly topic: Rows = new Map();
  readonly copies = new Map<string, ReplicaRow>();

  count(key: string, p: number, n: number): void {
    const row = this.rows.get(key) ?? { epoch: this.epoch, p: 0, n: 0 };
    this.rows.set(key, { epoch: this.epoch, p: row.p + p, n: row.n + n });
    this.dirty.add(key);
  }

  restore(): void {
    this.rows = new Map(this.backup);
    this.dirty.clear();
    this.epoch = Math.max(0, ...[...this.rows.values()].map(({ epoch }) => epoch));
    const again = rowsAfterLoss(this.rows, this.topic);
    for (const [key, row] of again ?? []) {
      this.rows.set(key, row);
      this.epoch = row.epoch;
      this.dirty.add(key);
    }
    // What was not published of the restored rows is not known to be.
    for (const key of this.rows.keys()) this.dirty.add(key);
  }

  publish(from: number, isSent: () => boolean = () => true): Message[] {
    const keys = [...this.dirty].filter(isSent);
    return keys.map((key): Message => {
      this.dirty.delete(key);
      const row = this.rows.get(key) as ReplicaRow;
      const before = this.topic.get(key);
      const delta = row.p - row.n - (before === undefined ? 0 : before.p - before.n);
      this.topic.set(key, row);
      return { from, key, row, delta };
    });
  }
}

const valueOf = (row: ReplicaRow | undefined) => (row === undefined ? 0 : row.p - row.n);

/** @returns whether all copies are what their data centre has, once everything arrived */
function play(seed: number, merge: Merge, withLoss: boolean): boolean {
  const random = randomOf(seed);
  const pick = <T>(values: readonly T[]) => values[Math.floor(values.length * random())] as T;
  const centres = CENTRES.map(() => new Centre());
  const sent: Message[] = [];
  const take = (to: number, message: Message) => {
    const { copies } = centres[to] as Centre;
    const name = `${message.from} ${message.key}`;
    copies.set(name, merge(copies.get(name), message));
  };
  const steps = 10 + Math.floor(30 * random());
  for (let step = 0; step < steps; step += 1) {
    const at = pick(CENTRES);
    const centre = centres[at] as Centre;
    const what = random();
    if (what < 0.4) centre.count(pick(KEYS), 1 + Math.floor(9 * random()), 0);
    else if (what < 0.5) purge(centre, pick(KEYS));
    else if (what < 0.65) sent.push(...centre.publish(at, () => random() < 0.7));
    else if (what < 0.7) centre.backup = new Map(centre.rows);
    else if (what < 0.75 && withLoss) centre.restore();
    // Any message of before, to anybody: lost ones come with the last, others twice and out of order.
    else if (sent.length > 0) take(at, pick(sent));
  }
  for (const [at, centre] of centres.entries()) {
    sent.push(...centre.publish(at));
    const last = [...centre.topic].map(([key, row]): Message => ({ from: at, key, row, delta: 0 }));
    for (const to of CENTRES) for (const message of [...last].reverse()) take(to, message);
  }
  return centres.every((centre, from) =>
    KEYS.every((key) =>
      centres.every(({ copies }) => valueOf(copies.get(`${from} ${key}`)) === valueOf(centre.rows.get(key))),
    ),
  );
}

function purge(centre: Centre, key: string): void {
  const visits = valueOf(centre.rows.get(key));
  if (visits > 0) centre.count(key, 0, visits);
}

function wrongOf(merge: Merge, withLoss = true): number {
  let wrong = 0;
  for (let seed = 0; seed < HISTORIES; seed += 1) if (!play(seed, merge, withLoss)) wrong += 1;
  return wrong;
}

describe('copies of what other data centres counted', () => {
  it(`are right after each of ${HISTORIES} histories with restored databases and lost, repeated, reordered messages`, () => {
    expect(wrongOf(MERGES.epochAndSum)).toBe(0);
  });

  it('are wrong by other rules, so the histories are hard enough', () => {
    expect(wrongOf(MERGES.sumOnly)).toBeGreaterThan(1_000);
    expect(wrongOf(MERGES.sumOnly, false)).toBe(0);
    expect(wrongOf(MERGES.deltas)).toBeGreaterThan(15_000);
  });

  it('change nothing when they come again, in any order', () => {
    const states: ReplicaRow[] = [
      [0, 1, 0],
      [0, 5, 0],
      [0, 5, 5],
      [1, 0, 0],
      [1, 2, 1],
      [2, 1, 0],
    ].map(([epoch = 0, p = 0, n = 0]) => ({ epoch, p, n }));
    let kept: ReplicaRow | undefined;
    for (const row of [...states, ...[...states].reverse(), ...states]) kept = isNewer(row, kept) ? row : kept;
    expect(kept).toEqual(states.at(-1));
  });
});
