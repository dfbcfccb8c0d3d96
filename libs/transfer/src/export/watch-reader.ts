import type { Readable } from 'node:stream';

/** Who takes nothing for so long is gone, or might as well be. */
const PATIENCE_MS = 60_000;

export interface Watch {
  patienceMs?: number | undefined;
  /** From the start until the last line is read; Infinity: none. */
  deadlineMs: number;
}

/** Until the stream is read to its end or destroyed: what makes it may have ended long before. */
export function watchReader(out: Readable, bytesTaken: () => number, { patienceMs = PATIENCE_MS, deadlineMs }: Watch) {
  let before = -1;
  const timer = setInterval(() => {
    const taken = bytesTaken();
    // Nothing there to take is not the reader's fault.
    if (taken === before && out.readableLength > 0)
      out.destroy(new Error(`nobody read the export for ${patienceMs} ms`));
    before = taken;
  }, patienceMs);
  const late = () => out.destroy(new Error(`nobody read the export to its end in ${deadlineMs / 60_000} min`));
  const deadline = Number.isFinite(deadlineMs) ? setTimeout(late, deadlineMs) : undefined;
  out.once('close', () => {
    clearInterval(timer);
    clearTimeout(deadline);
  });
}
