import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { setPriority } from 'node:os';

const FIRST = -10;

/** User plus system time of a process so far, in seconds. Linux only. */
export function cpuSeconds(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond();
}

export function rssMb(pid: number): number {
  const kilobytes = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Number(kilobytes) / 1_024;
}

/** The most it ever held; undefined when it is gone. */
export function peakRssMb(pid: number): number | undefined {
  try {
    const kilobytes = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
    return kilobytes === undefined ? undefined : Number(kilobytes) / 1_024;
  } catch {
    return undefined;
  }
}

let ticks: number | undefined;
function ticksPerSecond(): number {
  return (ticks ??= Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' })));
}

/**
 * Keeps processes, with their threads and children (PostgreSQL has one for each session), on some cores, so that the load
 * generator and what it measures do not take each other's time. Without taskset, or on one core, it does nothing.
 */
export function pin(pids: readonly number[], cores: string): void {
  for (const pid of pids.flatMap((pid) => [pid, ...childrenOf(pid)])) {
    try {
      execFileSync('taskset', ['-a', '-c', '-p', cores, String(pid)], { stdio: 'ignore' });
    } catch {
      return;
    }
  }
}

/**
 * A client that waits for a core would tell of its own waits. The process has a session of its own: the kernel weighs sessions
 * (sched_autogroup), and nice within one. Only as root; otherwise it does nothing.
 */
export function prefer(pid: number): void {
  try {
    setPriority(pid, FIRST);
    writeFileSync(`/proc/${pid}/autogroup`, String(FIRST));
  } catch {
    return;
  }
}

function childrenOf(pid: number): number[] {
  try {
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8');
    return children.split(' ').filter(Boolean).map(Number);
  } catch {
    return [];
  }
}
