import { VISIT_CLASSES } from '@hopcount/contracts';

/** Visits that go from class to class, named `human → bot`. */
export class ClassMoves {
  readonly #visits = new Map<string, number>();

  add(from: number, to: number, visits = 1): void {
    if (from === to) return;
    const name = `${VISIT_CLASSES[from]} → ${VISIT_CLASSES[to]}`;
    this.#visits.set(name, (this.#visits.get(name) ?? 0) + visits);
  }

  toCounts(): Record<string, number> {
    return Object.fromEntries([...this.#visits].sort(([a], [b]) => (a < b ? -1 : 1)));
  }
}
