import { AppError } from '@hopcount/runtime';

/** Work of which only so much is under way at once, in order of arrival; only so much waits. */
export class Turns {
  #underWay = 0;
  readonly #waiting: (() => void)[] = [];

  constructor(
    private readonly atOnce: number,
    private readonly mayWait: number,
  ) {}

  get isIdle(): boolean {
    return this.#underWay === 0;
  }

  /** @throws AppError `passwords-busy`: too many wait; and what `work` throws */
  async take<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.#underWay < this.atOnce) this.#underWay += 1;
    else if (this.#waiting.length < this.mayWait) await new Promise<void>((go) => this.#waiting.push(go));
    else throw new AppError('passwords-busy', 'Too many passwords are being worked on.', { retryable: true });
    try {
      return await work();
    } finally {
      // Who waits takes the place over; nobody who comes now can be faster.
      const next = this.#waiting.shift();
      if (next === undefined) this.#underWay -= 1;
      else next();
    }
  }
}

/** One at once of each name. As many names are kept as have work. */
export class TurnsByName {
  readonly #turns = new Map<string, Turns>();

  constructor(private readonly mayWait: number) {}

  /** @throws as {@link Turns.take} */
  async take<Result>(name: string, work: () => Promise<Result>): Promise<Result> {
    const turns = this.#turns.get(name) ?? new Turns(1, this.mayWait);
    this.#turns.set(name, turns);
    try {
      return await turns.take(work);
    } finally {
      if (turns.isIdle) this.#turns.delete(name);
    }
  }
}
