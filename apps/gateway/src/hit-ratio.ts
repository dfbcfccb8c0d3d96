const WINDOW_MS = 60_000;
/** However often somebody looks. */
const SAMPLE_EVERY_MS = 1_000;

interface Sample {
  atMs: number;
  hits: number;
  links: number;
}

/**
 * Of the look-ups that found a link, the share that memory answered: over the last minute, or as much longer as nobody
 * has looked. It costs the path of a visit nothing: the counters are there.
 */
export class HitRatio {
  readonly #samples: Sample[];

  constructor(
    private readonly answers: Readonly<Record<string, number>>,
    private readonly nowMs: () => number = () => performance.now(),
  ) {
    this.#samples = [this.#sample()];
  }

  /** Not a number while there was no look-up. */
  read(): number {
    const now = this.#sample();
    while (this.#samples.length > 1 && now.atMs - (this.#samples[1]?.atMs ?? 0) >= WINDOW_MS) this.#samples.shift();
    const [before = now] = this.#samples;
    if (now.atMs - (this.#samples.at(-1)?.atMs ?? 0) >= SAMPLE_EVERY_MS) this.#samples.push(now);
    return (now.hits - before.hits) / (now.links - before.links);
  }

  #sample(): Sample {
    const { memory = 0, redis = 0, database = 0, stale = 0, failed = 0 } = this.answers;
    return { atMs: this.nowMs(), hits: memory, links: memory + redis + database + stale + failed };
  }
}
