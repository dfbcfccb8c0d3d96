import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

/** Enough to tell later whether the process that wrote it still lives. */
export interface ProcessIdentity {
  pid: number;
  /** Clock ticks after boot at which it started; a pid is used again, the two together are not. */
  startTicks: string;
  /** Boot id and pid namespace: pids of another container or boot say nothing about ours. */
  realm: string;
}

export function ownIdentity(): ProcessIdentity {
  return { pid: process.pid, startTicks: startTicksOf(process.pid) ?? '', realm: ownRealm() };
}

/** `foreign`: written in another container, machine or boot; its pid cannot be asked about here. */
export function lifeOf(identity: ProcessIdentity): 'alive' | 'dead' | 'foreign' {
  if (identity.realm !== ownRealm()) return 'foreign';
  if (identity.startTicks === '') return answersSignals(identity.pid) ? 'alive' : 'dead';
  try {
    return startTicksOf(identity.pid) === identity.startTicks ? 'alive' : 'dead';
  } catch {
    return 'alive'; // no descriptor left, no permission: that says nothing about the other process
  }
}

/**
 * Undefined when there is no such process, or only its zombie.
 * @throws the system's error when it cannot be told
 */
function startTicksOf(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The command name, in parentheses, may itself contain spaces and parentheses.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return fields[0] === 'Z' || fields[0] === 'X' ? undefined : fields[19];
  } catch (error) {
    // ESRCH: it ended between the opening and the reading of its file.
    if (['ENOENT', 'ESRCH'].includes((error as NodeJS.ErrnoException).code ?? '')) return undefined;
    throw error;
  }
}

let knownRealm: string | undefined;

/** Asked once: with no descriptor left a later answer would differ, and make neighbours look foreign. */
function ownRealm(): string {
  return (knownRealm ??= readRealm());
}

function readRealm(): string {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim();
    return `${boot} ${readlinkSync('/proc/self/ns/pid')}`;
  } catch {
    // Not Linux: the host alone tells machines apart.
    return hostname();
  }
}

function answersSignals(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
