import type { pino } from 'pino';

/** How often a cause that repeats is counted in the log. */
const TELL_EVERY_MS = 30_000;
/** Lines without an error may differ in their other fields, so more of them are written whole. */
const WHOLE_WITHOUT_ERROR = 20;
/** Causes known at once; further ones share one count per message, so that no text from outside fills the memory or the disk. */
const MOST_CAUSES = 500;
/** Fields with few values, which belong to the cause. */
const SUBJECTS = ['component', 'job', 'topic', 'partition', 'part', 'channel', 'check'];
const LONGEST_CAUSE = 200;

type Line = Parameters<pino.LogFn>;

interface Cause {
  /** Lines that may still be written whole. */
  whole: number;
  /** Lines that were not written since the last count. */
  repeated: number;
  /** Writes one line that says how many they were. */
  tell: (repeated: number) => void;
}

/**
 * Limits the warnings and errors of one cause: the first line is written whole, further ones are counted, and one line
 * every 30 s says how many they were. A cause is a level, a message, the error's code, text and place, and SUBJECTS.
 * It is forgotten once 30 s have passed without it; then it is written whole again. Otherwise a fault that meets each
 * request or each try (a full disk, a database that is away) writes as many stack traces, perhaps to the same full disk.
 */
export class RepeatedLines {
  readonly #causes = new Map<string, Cause>();
  #timer: NodeJS.Timeout | undefined;

  /** @returns whether the line is to be written. */
  admits(logger: pino.Logger, line: Line, method: pino.LogFn, level: number): boolean {
    const { fields, error, message } = partsOf(line);
    const full = `${level} ${message} ${subjectsOf(fields)} ${signatureOf(error)}`;
    const isRoom = this.#causes.has(full) || this.#causes.size < MOST_CAUSES;
    // The messages are constants of this program, nearly all of them.
    const name = isRoom ? full : `${level} ${this.#causes.size < 2 * MOST_CAUSES ? message : ''}`;
    let cause = this.#causes.get(name);
    if (cause === undefined) {
      const about = { ...pick(fields, SUBJECTS), ...(error !== undefined && { reason: textOf(error) }) };
      const tell = (repeated: number) =>
        method.apply(logger, [{ ...about, repeated }, `${message} (repeated)`] as unknown as Line);
      cause = { whole: error === undefined ? WHOLE_WITHOUT_ERROR : 1, repeated: 0, tell };
      this.#causes.set(name, cause);
      this.#timer ??= setInterval(() => this.#tellAll(), TELL_EVERY_MS).unref();
    }
    if (cause.whole > 0) {
      cause.whole -= 1;
      return true;
    }
    cause.repeated += 1;
    return false;
  }

  #tellAll(): void {
    for (const [name, cause] of this.#causes) {
      if (cause.repeated === 0) this.#causes.delete(name);
      else cause.tell(cause.repeated);
      cause.repeated = 0;
    }
    if (this.#causes.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}

function partsOf([first, second]: readonly unknown[]): {
  fields: Record<string, unknown>;
  error: unknown;
  message: string;
} {
  if (first instanceof Error) return { fields: {}, error: first, message: textOf(second ?? first.message) };
  if (typeof first !== 'object' || first === null) return { fields: {}, error: undefined, message: textOf(first) };
  const fields = first as Record<string, unknown>;
  return { fields, error: fields['err'], message: textOf(second ?? '') };
}

/** The same for two errors that differ in a port, an id or a time. */
function signatureOf(error: unknown): string {
  if (error === undefined) return '';
  const { name = '', code = '', stack = '' } = error as { name?: string; code?: unknown; stack?: string };
  const place = /^ +at .*$/m.exec(stack)?.[0] ?? '';
  return `${name} ${String(code)} ${textOf(error).replace(/\d+/g, '#')} ${place}`;
}

function textOf(value: unknown): string {
  return String(value instanceof Error ? value.message : value).slice(0, LONGEST_CAUSE);
}

function subjectsOf(fields: Record<string, unknown>): string {
  return Object.values(pick(fields, SUBJECTS)).map(textOf).join(' ');
}

function pick(fields: Record<string, unknown>, names: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(names.filter((name) => name in fields).map((name) => [name, fields[name]]));
}
