import { inSteps, type OnStep } from '@hopcount/runtime';

import { Progress } from './progress.js';
import { type OutputFormat, type Column, renderCsv, renderJson, renderTable, toObjects } from './output.js';

interface Stream {
  write(data: string | Uint8Array): unknown;
  once?(event: 'drain' | 'close', listener: () => void): unknown;
  isTTY?: boolean;
}

const CLEAR_SCREEN = '\u001b[H\u001b[J';
const REMOVE_LINE = '\r\u001b[K';
const RENEW_EVERY_MS = 100;
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

  /** On a terminal what follows takes the place of the block before, elsewhere it comes after it. */
  beginBlock(title: string): void {
    this.endProgress();
    if (this.stdout.isTTY === true) this.stdout.write(CLEAR_SCREEN);
    this.message(title);
  }

  /** How far something is that can be counted; the number of all may come later, see Progress. */
  startProgress(what: string, total?: number | bigint): Progress {
    return new Progress(this, what, total === undefined ? undefined : Number(total));
  }

  /** The same of what says its steps itself. */
  inSteps<Result>(what: string, work: (onStep: OnStep) => Promise<Result>): Promise<Result> {
    return inSteps(this, what, work);
  }

  /** A line that is renewed on a terminal, with a bar; elsewhere one now and then. The last one stays. */
  progress(text: string, { share, isLast = false }: { share?: number | undefined; isLast?: boolean } = {}): void {
    const now = this.nowMs();
    const isTerminal = this.stderr.isTTY === true;
    if (!isLast && now - this.#lastLineAtMs < (isTerminal ? RENEW_EVERY_MS : LINE_EVERY_MS)) return;
    this.#lastLineAtMs = isLast ? 0 : now;
    const end = isLast ? '\n' : '';
    this.#progressShown = isTerminal && !isLast;
    this.stderr.write(isTerminal ? `${REMOVE_LINE}${barOf(share)}${text}${end}` : `${text}\n`);
  }

  nowMs(): number {
    return (this.options.nowMs ?? Date.now)();
  }

  endProgress(): void {
    if (!this.#progressShown) return;
    this.#progressShown = false;
    this.stderr.write(REMOVE_LINE);
  }
}

function barOf(share: number | undefined): string {
  if (share === undefined) return '';
  const filled = Math.floor(share * BAR_WIDTH);
  return `[${'='.repeat(filled)}${' '.repeat(BAR_WIDTH - filled)}] `;
}
