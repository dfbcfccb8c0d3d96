/** By which a window slides. */
export const CELL_MS = 10_000;
/** Five minutes. */
export const WINDOW_CELLS = 30;
export const WINDOW_MS = CELL_MS * WINDOW_CELLS;

export interface WindowLimits {
  /** Hosts with visits in their windows; further ones are not watched, those above them are. 250 B each. */
  hosts: number;
  /** Hosts of cells that are ahead of what is evaluated, such as of a partition that was read further than others. */
  ahead: number;
}

const LIMITS: WindowLimits = { hosts: 200_000, ahead: 1_000_000 };
const FIRST_SLOTS = 1_024;

/**
 * Visits of the last five minutes by host, those below it included, by event time. The windows end where they were moved
 * to, cell by cell, and never at the time of a clock: visits that are counted late (a backlog, a replay) are in the window of
 * their own time, and no others.
 */
export class HostWindows {
  readonly #slotOf = new Map<number, number>();
  readonly #free: number[] = [];
  /** A slot has WINDOW_CELLS of them in a row. */
  #cells = new Float64Array(FIRST_SLOTS * WINDOW_CELLS);
  #sums = new Float64Array(FIRST_SLOTS);
  /** Cell → host → visits, of the cells that are not in the windows yet. */
  readonly #ahead = new Map<number, Map<number, number>>();
  #entriesAhead = 0;
  #next: number;
  /** Visits of hosts that no window was left for; those above them have them. */
  unwatched = 0;

  /**
   * @param from event time in ms the windows begin at; older visits are late. A window is full five minutes behind it.
   * @param parentOf undefined: at the top of what is watched
   */
  constructor(
    from: number,
    private readonly parentOf: (host: number) => number | undefined,
    private readonly limits: Partial<WindowLimits> = {},
  ) {
    this.#next = Math.floor(from / CELL_MS);
  }

  /** Where the windows end, in ms of event time: what is before it is in them, or was. */
  get endAt(): number {
    return this.#next * CELL_MS;
  }

  /**
   * @param at event time in ms
   * @returns `late`: the windows are past it, nothing was added. `full`: too much is ahead; move on, and add it again.
   */
  add(host: number, at: number, visits: number): 'added' | 'late' | 'full' {
    const cell = Math.floor(at / CELL_MS);
    if (cell < this.#next) return 'late';
    const kept = this.#ahead.get(cell) ?? new Map<number, number>();
    const before = kept.get(host);
    if (before === undefined) {
      if (this.#entriesAhead >= (this.limits.ahead ?? LIMITS.ahead)) return 'full';
      this.#entriesAhead += 1;
      this.#ahead.set(cell, kept);
    }
    kept.set(host, (before ?? 0) + visits);
    return 'added';
  }

  /** The windows end one cell later. */
  move(): void {
    const cell = this.#next;
    this.#next += 1;
    this.#leave(cell % WINDOW_CELLS);
    const entering = this.#ahead.get(cell);
    if (entering === undefined) return;
    this.#ahead.delete(cell);
    this.#entriesAhead -= entering.size;
    for (const [host, visits] of entering) {
      for (let at: number | undefined = host; at !== undefined; at = this.parentOf(at)) {
        this.#enter(at, cell % WINDOW_CELLS, visits);
      }
    }
  }

  visitsOf(host: number): number {
    const slot = this.#slotOf.get(host);
    return slot === undefined ? 0 : (this.#sums[slot] as number);
  }

  hostsWith(minimum: number): number[] {
    const found: number[] = [];
    for (const [host, slot] of this.#slotOf) if ((this.#sums[slot] as number) >= minimum) found.push(host);
    return found;
  }

  #enter(host: number, column: number, visits: number): void {
    const slot = this.#slotOf.get(host) ?? this.#take(host);
    if (slot === undefined) {
      this.unwatched += visits;
      return;
    }
    const at = slot * WINDOW_CELLS + column;
    this.#cells[at] = (this.#cells[at] as number) + visits;
    this.#sums[slot] = (this.#sums[slot] as number) + visits;
  }

  #leave(column: number): void {
    for (const [host, slot] of this.#slotOf) {
      const at = slot * WINDOW_CELLS + column;
      this.#sums[slot] = (this.#sums[slot] as number) - (this.#cells[at] as number);
      this.#cells[at] = 0;
      if (this.#sums[slot] !== 0) continue;
      // Purged visits may leave cells that cancel out: the next host begins with none.
      this.#cells.fill(0, slot * WINDOW_CELLS, (slot + 1) * WINDOW_CELLS);
      this.#slotOf.delete(host);
      this.#free.push(slot);
    }
  }

  #take(host: number): number | undefined {
    if (this.#slotOf.size >= (this.limits.hosts ?? LIMITS.hosts)) return undefined;
    const slot = this.#free.pop() ?? this.#slotOf.size;
    if (slot >= this.#sums.length) this.#grow();
    this.#slotOf.set(host, slot);
    return slot;
  }

  #grow(): void {
    const [cells, sums] = [this.#cells, this.#sums];
    this.#cells = new Float64Array(cells.length * 2);
    this.#cells.set(cells);
    this.#sums = new Float64Array(sums.length * 2);
    this.#sums.set(sums);
  }
}
