import { DAY_MS, floorTo } from '@hopcount/ledger';

import type { ArchiveFile, ArchiveLevel } from '../manifest/archive-file.js';
import { monthAt } from '../months.js';

export interface MergePlan {
  level: 'day' | 'month';
  files: ArchiveFile[];
}

export interface MergeLimits {
  /** Before it hours are closed. */
  closedBefore: number;
  nowMs: number;
  maxBytes: number;
  /** How long a month is left alone after its end; two days unless told. */
  settlesMs?: number;
}

/** Late visits mostly come within; a month merged before would be written again for them. */
const MONTH_SETTLES_MS = 2 * DAY_MS;
/** A file that is whole already is written again for few later ones at most so often. */
const AGAIN_AFTER_MS = DAY_MS;
/** Late visits come in bursts: what is younger waits for the rest of its burst. */
const BURST_MS = 5 * 60_000;
/** Each file costs a question some milliseconds, so for so many later ones it is written again as soon as the burst is over. */
const MANY: Record<'day' | 'month', number> = { day: 4, month: 12 };
/** Of the largest file's bytes: less is written again in a second or two. */
const CHEAP_SHARE = 1 / 16;

const RANKS: Record<ArchiveLevel, number> = { hour: 0, day: 1, month: 2 };

/**
 * Which active files become one: those of a closed day, those of a closed month. Adjoining ones, up to `maxBytes`
 * together; so a large day or month stays several files.
 */
export function planMerges(files: readonly ArchiveFile[], limits: MergeLimits): MergePlan[] {
  const days = mergesOf(files, 'day', limits);
  // Hours first: a file is in one merge at a time.
  return days.length > 0 ? days : mergesOf(files, 'month', limits);
}

function mergesOf(files: readonly ArchiveFile[], level: 'day' | 'month', limits: MergeLimits): MergePlan[] {
  const units = new Map<number, ArchiveFile[]>();
  for (const file of files) {
    const { from, to } = unitAt(level, file.period.from);
    const settles = level === 'month' ? (limits.settlesMs ?? MONTH_SETTLES_MS) : 0;
    if (RANKS[file.level] > RANKS[level] || to + settles > limits.closedBefore) continue;
    units.set(from, [...(units.get(from) ?? []), file]);
  }
  return [...units.values()]
    .flatMap((unit) => groupsOf(unit, limits.maxBytes))
    .filter((group) => isDue(group, level, limits))
    .map((group) => ({ level, files: group }));
}

function groupsOf(files: readonly ArchiveFile[], maxBytes: number): ArchiveFile[][] {
  const groups: ArchiveFile[][] = [];
  let bytes = Infinity;
  for (const file of [...files].sort((a, b) => a.period.from - b.period.from)) {
    bytes += file.bytes;
    if (bytes > maxBytes) {
      groups.push([]);
      bytes = file.bytes;
    }
    groups.at(-1)?.push(file);
  }
  return groups;
}

function isDue(group: readonly ArchiveFile[], level: 'day' | 'month', { nowMs, maxBytes }: MergeLimits): boolean {
  const lower = group.filter((file) => file.level !== level);
  if (group.length < 2 || lower.length === 0) return false;
  if (lower.length === group.length || lower.some(({ sealedAt }) => sealedAt <= nowMs - AGAIN_AFTER_MS)) return true;
  if (lower.some(({ sealedAt }) => sealedAt > nowMs - BURST_MS)) return false;
  return lower.length >= MANY[level] || group.reduce((sum, { bytes }) => sum + bytes, 0) <= maxBytes * CHEAP_SHARE;
}

function unitAt(level: 'day' | 'month', instant: number) {
  if (level === 'day') return { from: floorTo(instant, DAY_MS), to: floorTo(instant, DAY_MS) + DAY_MS };
  return monthAt(instant);
}
