import { writeSync } from 'node:fs';

const BUSY_RETRIES = 10;
const BUSY_PAUSE_MS = 10;
const pause = new Int32Array(new SharedArrayBuffer(4));

/**
 * Where log lines go. A line the system does not take (disk full, reader gone) is dropped, and the
 * next one that is taken says how many were: pino's own destination ends the process at the first such
 * line and then, at exit, tries to write what is left for as long as the disk stays full.
 */
export class LogOutput {
  #dropped = 0;

  constructor(
    private readonly fd: number,
    private readonly writeBytes: (fd: number, bytes: Buffer, from: number) => number = writeSync,
  ) {}

  /** Called by pino with one line of JSON, newline included. */
  write(line: string): void {
    const dropped = this.#dropped;
    const told = dropped === 0 ? line : `${this.#about(dropped)}${line}`;
    if (this.#put(Buffer.from(told))) this.#dropped = 0;
    else this.#dropped += 1;
  }

  #about(dropped: number): string {
    return `${JSON.stringify({ level: 40, time: new Date().toISOString(), pid: process.pid, dropped, msg: 'log lines were dropped' })}\n`;
  }

  #put(bytes: Buffer): boolean {
    for (let done = 0, busy = 0; done < bytes.length;) {
      try {
        done += this.writeBytes(this.fd, bytes, done);
      } catch (error) {
        // A pipe whose reader is slow: worth a moment, but not the process.
        if ((error as NodeJS.ErrnoException).code !== 'EAGAIN' || (busy += 1) > BUSY_RETRIES) return false;
        Atomics.wait(pause, 0, 0, BUSY_PAUSE_MS);
      }
    }
    return true;
  }
}
