import limit from 'p-limit';

/** Of all streams: the others of the pool's ten connections are for requests that have nothing to do with it. */
const AT_ONCE = 2;

interface StreamTurn {
  run: ReturnType<typeof limit>;
  /** Under way or waiting. */
  uses: number;
}

/** One at a time of each stream in this process, before a connection is taken: whoever feeds in parallel waits without one. */
export class StreamTurns {
  readonly #ofAll = limit(AT_ONCE);
  readonly #ofStreams = new Map<string, StreamTurn>();

  async run<T>(stream: string, work: () => Promise<T>): Promise<T> {
    const turn = this.#ofStreams.get(stream) ?? { run: limit(1), uses: 0 };
    this.#ofStreams.set(stream, turn);
    turn.uses += 1;
    try {
      return await turn.run(() => this.#ofAll(work));
    } finally {
      turn.uses -= 1;
      if (turn.uses === 0) this.#ofStreams.delete(stream);
    }
  }
}
