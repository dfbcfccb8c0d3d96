/** What a line of progress is written to. */
interface ProgressLine {
  /** In the place of the last one on a terminal; elsewhere only now and then, if it is not the last. */
  progress(text: string, how: { share?: number | undefined; isLast?: boolean }): void;
  nowMs(): number;
}

/** Before it a rate would be of nothing. */
const RATE_FROM_MS = 1_000;

/**
 * How far a long command is: `25 %  50 of 200 records, 12/s, 13 s left`. Of a number that is not known, or turns out to be
 * too low, there is neither a share nor a time.
 */
export class Progress {
  readonly #startedAtMs: number;
  #done = 0;

  /** @param what plural, of what is counted */
  constructor(
    private readonly line: ProgressLine,
    private readonly what: string,
    private total?: number,
  ) {
    this.#startedAtMs = line.nowMs();
  }

  /** @param doing what is being done now */
  at(done: number, { total = this.total, doing }: { total?: number | undefined; doing?: string } = {}): void {
    this.#done = done;
    this.total = total;
    const isKnown = total !== undefined && total > 0 && done <= total;
    const elapsedMs = this.line.nowMs() - this.#startedAtMs;
    const left = isKnown && done > 0 && elapsedMs >= RATE_FROM_MS ? (elapsedMs * (total - done)) / done : undefined;
    const parts = [
      isKnown ? `${done} of ${total} ${this.what}` : `${done} ${this.what}`,
      ...this.#rate(elapsedMs),
      ...(left === undefined ? [] : [`${formatDuration(left)} left`]),
      ...(doing === undefined ? [] : [doing]),
    ];
    const share = isKnown ? done / total : undefined;
    const percent = share === undefined ? '' : `${Math.floor(share * 100)} %  `;
    this.line.progress(`${percent}${parts.join(', ')}`, { share });
  }

  /** All is done, however much it was said to be. */
  end(done = this.#done): void {
    this.#done = done;
    if (done === 0) return;
    const elapsedMs = this.line.nowMs() - this.#startedAtMs;
    const parts = [`${done} ${this.what}`, ...this.#rate(elapsedMs), `in ${formatDuration(elapsedMs)}`];
    this.line.progress(`100 %  ${parts.join(', ')}`, { share: 1, isLast: true });
  }

  #rate(elapsedMs: number): string[] {
    if (elapsedMs < RATE_FROM_MS || this.#done === 0) return [];
    const perSecond = (this.#done * 1_000) / elapsedMs;
    return [`${perSecond < 10 ? perSecond.toFixed(1) : Math.round(perSecond)}/s`];
  }
}

/** `8 s`, `5 min`, `2 h 10 min`. */
function formatDuration(ms: number): string {
  const seconds = Math.ceil(ms / 1_000);
  if (seconds < 120) return `${seconds} s`;
  const minutes = Math.ceil(seconds / 60);
  return minutes < 120 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
