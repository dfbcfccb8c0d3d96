import type { System, SystemCheck } from './system.js';

export type FindingName =
  | 'kafkaAway'
  | 'unreadable'
  | 'noConsumer'
  | 'behind'
  | 'noWorker'
  | 'uncounted'
  | 'lost'
  | 'spooled'
  | 'deadLetters'
  | 'missing'
  | 'unreported'
  | 'drift'
  | 'damagedFiles'
  | 'mismatch'
  | 'verificationFailed'
  | 'surges'
  | 'failedChecks'
  | 'warnedChecks'
  | 'unchecked';

/** What somebody has to do something about; `system.finding.<name>` says what was found and what to do. */
export interface Finding {
  name: FindingName;
  level: 'bad' | 'watch';
  count: number;
}

/** What doctor says; undefined: nobody knows. */
export type Checks = readonly Pick<SystemCheck, 'status'>[] | undefined;

const FAR_BEHIND = 10_000;
const WORKER_SILENT_SECONDS = 60;
const WORKER = 'hopcount-worker';

/** What waits on the disks of all gateways; undefined: nobody knows. */
export function spooledVisits(gateways: System['gateways']): number | undefined {
  return gateways?.reduce((sum, gateway) => sum + gateway.spooledVisits, 0);
}

/** The worst first. What is not known is said to be so, never taken for nothing. */
export function findingsOf(system: System, checks: Checks): Finding[] {
  return [...ofCounting(system), ...ofNumbers(system), ...ofStores(system), ...ofChecks(checks)].sort(
    (a, b) => Number(a.level === 'watch') - Number(b.level === 'watch'),
  );
}

function ofCounting({ counting, unknown, processes, lost, gateways }: System): Finding[] {
  const worker = processes?.find(({ name }) => name === WORKER);
  // What Kafka knows is missing together.
  const ofKafka = unknown.includes('counting') ? ['counting', 'deadLetters'] : [];
  const others = unknown.filter((part) => !ofKafka.includes(part)).length;
  return found([
    ['kafkaAway', 'bad', unknown.includes('counting') ? 1 : 0],
    ['unreadable', 'bad', others],
    ['noConsumer', 'bad', counting?.consumers.members === 0 ? 1 : 0],
    ['behind', 'watch', counting !== null && counting.pending >= FAR_BEHIND ? counting.pending : 0],
    ['noWorker', 'bad', processes !== null && (worker?.silentSeconds ?? Infinity) > WORKER_SILENT_SECONDS ? 1 : 0],
    ['lost', 'bad', lost?.records],
    ['spooled', 'watch', spooledVisits(gateways)],
  ]);
}

function ofNumbers({ uncounted, deadLetters, audits, drift, verification }: System): Finding[] {
  const state = verification?.state;
  return found([
    ['uncounted', 'bad', uncounted?.visits],
    ['deadLetters', 'watch', deadLetters?.waiting],
    ['missing', 'bad', audits?.missingVisits],
    ['unreported', 'watch', audits?.unreportedMinutes],
    ['drift', 'bad', (drift?.slots ?? 0) + (drift?.hosts ?? 0) + (drift?.hostChecksums ?? 0)],
    ['mismatch', 'bad', state === 'mismatch' ? (verification?.differences ?? 1) : 0],
    ['verificationFailed', 'watch', state === 'failed' ? 1 : 0],
  ]);
}

function ofStores({ archive, surges }: System): Finding[] {
  return found([
    ['damagedFiles', 'bad', archive?.damaged.files],
    ['surges', 'watch', surges?.open],
  ]);
}

function ofChecks(checks: Checks): Finding[] {
  const countOf = (wanted: SystemCheck['status']) => checks?.filter(({ status }) => status === wanted).length;
  return found([
    ['unchecked', 'watch', checks === undefined ? 1 : 0],
    ['failedChecks', 'bad', countOf('fail')],
    ['warnedChecks', 'watch', countOf('warn')],
  ]);
}

function found(all: readonly [FindingName, Finding['level'], number | undefined][]): Finding[] {
  return all.flatMap(([name, level, count = 0]) => (count > 0 ? [{ name, level, count }] : []));
}
