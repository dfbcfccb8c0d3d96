import { HOUR_MS, type InstantRange } from '@hopcount/ledger';

/** Visits of one link in one UTC hour; the checksum is the XOR of the random bits of their ids, as text. */
export interface HourSum {
  hour: number;
  visits: number;
  checksum: string;
}

export interface JudgedHours {
  /** Where files do not hold what the buckets say: the ledger has to answer. Touching hours are one range. */
  fromLedger: InstantRange[];
  /** Hours of which the files' visits must not be counted. */
  notFromFiles: number[];
  /** The ledger is gone and the files hold something else than the buckets say: they are all there is. */
  unknown: InstantRange[];
}

/**
 * Which hours of a link its files answer: those where number and checksum are what the buckets say in the same
 * snapshot. Anywhere else the ledger answers while it has the hour (from `keptFrom` on). Both lists ascend by hour.
 */
export function judgeHours(kept: readonly HourSum[], filed: readonly HourSum[], keptFrom: number): JudgedHours {
  const inFiles = new Map(filed.map((sum) => [sum.hour, sum]));
  const counted = new Set(kept.map(({ hour }) => hour));
  const differing = kept.filter(({ hour, visits, checksum }) => {
    const sum = inFiles.get(hour);
    return sum?.visits !== visits || sum.checksum !== checksum;
  });
  return {
    fromLedger: joinHours(differing.filter(({ hour }) => hour >= keptFrom)),
    // Also hours without a bucket: all of them was purged.
    notFromFiles: [
      ...differing.filter(({ hour }) => hour >= keptFrom && inFiles.has(hour)),
      ...filed.filter(({ hour }) => !counted.has(hour)),
    ].map(({ hour }) => hour),
    unknown: joinHours(differing.filter(({ hour }) => hour < keptFrom)),
  };
}

function joinHours(hours: readonly { hour: number }[]): InstantRange[] {
  const ranges: InstantRange[] = [];
  for (const { hour } of hours) {
    const last = ranges.at(-1);
    if (last?.to === hour) last.to += HOUR_MS;
    else ranges.push({ from: hour, to: hour + HOUR_MS });
  }
  return ranges;
}
