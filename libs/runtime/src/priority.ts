import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { getPriority, setPriority } from 'node:os';

/**
 * Where the processor is short, other processes go first: nice, 0 (as all others) to 19. Of all threads there are, and with them of
 * those they start; call it first. Never raised: a process that was started at a lower priority keeps it.
 */
export function goAfterOthers(nice: number): void {
  if (nice === 0) return;
  for (const thread of threads()) {
    try {
      if (getPriority(thread) < nice) setPriority(thread, nice);
    } catch {
      // Gone since.
    }
  }
  lowerOwnSession(nice);
}

/** On Linux a priority is one thread's. */
function threads(): number[] {
  try {
    return readdirSync('/proc/self/task').map(Number);
  } catch {
    // Not Linux: the process as a whole.
    return [0];
  }
}

/**
 * Without containers Linux weighs whole sessions against each other (sched_autogroup), and nice only within one. A session that this
 * process leads has nobody else in it who would be lowered as well.
 */
function lowerOwnSession(nice: number): void {
  try {
    const [, fields = ''] = readFileSync('/proc/self/stat', 'latin1').split(/\) (?!.*\) )/);
    const session = Number(fields.split(' ')[3]);
    if (session === process.pid) writeFileSync('/proc/self/autogroup', String(nice));
  } catch {
    // Not this kernel.
  }
}
