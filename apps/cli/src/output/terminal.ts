import { type OutputFormat, type Column, renderCsv, renderJson, renderTable, toObjects } from './output.js';

interface Stream {
  write(data: string | Uint8Array): unknown;
  once?(event: 'drain' | 'close', listener: () => void): unknown;
  isTTY?: boolean;
}

const LINE_EVERY_MS = 5_000;
const BAR_WIDTH = 24;

/** Data goes to stdout, everything else to stderr; a progress line is redrawn only on a terminal. */
export class Terminal {
  #progressShown = false;
  #lastLineAtMs = 0;

  constructor(
    private readonly stdout: Stream,
    private readonly stderr: Stream,
    private readonly options: { color: boolean; nowMs?: () => number },
  ) {}

  data(text: string): void {
    this.endProgress();
    this.stdout.write(text);
  }

  /** Writes data as fast as it is taken, byte by byte as it comes: a chunk may end inside a character. */
  async pour(chunks: AsyncIterable<Buffer | string>): Promise<void> {
    this.endProgress();
    for await (const chunk of chunks) {
      const isTaken = this.stdout.write(chunk);
      if (isTaken === false) await new Promise<void>((resolve) => this.stdout.once?.('drain', resolve));
    }
  }

  /** `json` is what `-o json` prints; by default an array of the rows' columns. */
  rows<Row>(format: OutputFormat, columns: Column<Row>[], rows: Row[], json?: (rows: object[]) => unknown): void {
    switch (format) {
      case 'json': {
        const objects = toObjects(columns, rows);
        return this.data(renderJson(json === undefined ? objects : json(objects)));
      }
      case 'csv':
        return this.data(renderCsv(columns, rows));
      case 'table':
        return this.data(renderTable(columns, rows, { color: this.options.color && this.stdout.isTTY === true }));
    }
  }

  message(text: string): void {
    this.endProgress();
    this.stderr.write(`${text}\n`);
  }

  error(text: string): void {
    const red = this.options.color && this.stderr.isTTY === true;
    this.message(red ? `\u001b[31merror:\u001b[39m ${text}` : `error: ${text}`);
  }

  /** Redrawn in place on a terminal; elsewhere a line now and then. */
  progress(text: string): void {
    if (this.stderr.isTTY === true) {
      this.stderr.write(`\r\u001b[K${text}`);
      this.#progressShown = true;
      return;
    }
    const now = (this.options.nowMs ?? Date.now)();
    if (now - this.#lastLineAtMs < LINE_EVERY_MS) return;
    this.#lastLineAtMs = now;
    this.stderr.write(`${text}\n`);
  }

  /** How far something countable is: a bar on a terminal, a line now and then elsewhere. */
  progressOf(done: number | bigint, total: number | bigint, what: string): void {
    const share = Number(total) === 0 ? 1 : Math.min(1, Number(done) / Number(total));
    const text = `${Math.floor(share * 100)} %  ${done} of ${total} ${what}`;
    if (this.stderr.isTTY !== true) return this.progress(text);
    const filled = Math.floor(share * BAR_WIDTH);
    this.progress(`[${'='.repeat(filled)}${' '.repeat(BAR_WIDTH - filled)}] ${text}`);
  }

  endProgress(): void {
    if (!this.#progressShown) return;
    this.#progressShown = false;
    this.stderr.write('\r\u001b[K');
  }
}
