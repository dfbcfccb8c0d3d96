import { writeSync } from 'node:fs';

/** About 3,000 lines. */
const MAX_WAITING_BYTES = 1_024 * 1_024;
const RETRY_MS = 100;
/** Longest the end of a process waits for a reader to take what is left. */
const FLUSH_MS = 2_000;
const PAUSE_MS = 10;
const pause = new Int32Array(new SharedArrayBuffer(4));

/**
 * Where log lines go. The descriptor does not block: what the system does not take at once (slow reader,
 * full disk) waits in memory, up to a bound; lines beyond it are dropped, and the next line that is taken
 * says how many. pino's own destinations block, or end the process at the first line that fails.
 */
export class LogOutput {
  #waiting: Buffer[] = [];
  #waitingBytes = 0;
  #retry: NodeJS.Timeout | undefined;
  #untold = 0;
  #dropped = 0;

  constructor(
    private readonly fd: number,
    private readonly writeBytes: (fd: number, bytes: Buffer) => number = writeSync,
  ) {}

  /** Lines dropped by this process so far. */
  get dropped(): number {
    return this.#dropped;
  }

  /** Called by pino with one line of JSON, newline included. */
  write(line: string): void {
    const bytes = Buffer.from(this.#told() + line);
    if (this.#waitingBytes + bytes.length > MAX_WAITING_BYTES) {
      this.#untold += 1;
      this.#dropped += 1;
      return;
    }
    this.#untold = 0;
    this.#enqueue(bytes);
    if (this.#retry === undefined) this.#drain();
  }

  /** Blocks until everything is written, for 2 s at most: for the end of the process. */
  flush(): void {
    if (this.#untold > 0) this.#enqueue(Buffer.from(this.#told()));
    this.#untold = 0;
    for (let waitedMs = 0; this.#put() === 'EAGAIN' && waitedMs < FLUSH_MS; waitedMs += PAUSE_MS) {
      Atomics.wait(pause, 0, 0, PAUSE_MS);
    }
  }

  #told(): string {
    if (this.#untold === 0) return '';
    const about = { level: 40, time: new Date().toISOString(), pid: process.pid, dropped: this.#untold };
    return `${JSON.stringify({ ...about, msg: 'log lines were dropped' })}\n`;
  }

  #enqueue(bytes: Buffer): void {
    this.#waiting.push(bytes);
    this.#waitingBytes += bytes.length;
  }

  #drain(): void {
    this.#retry = this.#put() === undefined ? undefined : setTimeout(() => this.#drain(), RETRY_MS).unref();
  }

  /** Writes until nothing waits; otherwise the code of the error that ended it. */
  #put(): string | undefined {
    let next = 0;
    try {
      for (let bytes = this.#waiting[next]; bytes !== undefined; bytes = this.#waiting[next]) {
        const taken = this.writeBytes(this.fd, bytes);
        this.#waitingBytes -= taken;
        if (taken < bytes.length) this.#waiting[next] = bytes.subarray(taken);
        else next += 1;
      }
      return undefined;
    } catch (error) {
      return (error as NodeJS.ErrnoException).code ?? 'unknown';
    } finally {
      this.#waiting.splice(0, next);
    }
  }
}

let stdout: LogOutput | undefined;

/** The one output of this process, made at its first line and flushed when it exits. */
export function stdoutLog(): LogOutput {
  if (stdout === undefined) {
    // Asking for `process.stdout` is what makes a pipe or socket non-blocking: Node then restores it at exit.
    stdout = new LogOutput(process.stdout.fd);
    process.once('exit', () => stdout?.flush());
  }
  return stdout;
}

export function droppedLogLines(): number {
  return stdout?.dropped ?? 0;
}
