import { BUCKET_MS, bucketOf, hourOf } from '../buckets.js';

export interface HeatTier {
  /** Heat from which a link belongs to it. */
  heat: number;
  slots: number;
}

/**
 * A link's visits since `heatWindowStart()`. At the first of them its open hour costs the ledger about
 * 35 ms to answer; the others are 30 to 60 and 300 to 1,000 visits a second. The first has a slot for each of
 * the topic's 12 partitions: with 8, two of them waited for each other.
 */
export const HEAT_TIERS: readonly HeatTier[] = [
  { heat: 5_000, slots: 16 },
  { heat: 100_000, slots: 32 },
  { heat: 1_000_000, slots: 100 },
];

/**
 * The window is 15 to 60 minutes long, so an even stream of visits changes its heat by a factor of four:
 * a link keeps its tier until it is well below that.
 */
const COOLS_AT = 1 / 8;

/** Start of the open hour; in its first quarter that of the bucket before, or every hour would start cold. */
export function heatWindowStart(now: number): number {
  return Math.min(hourOf(now), bucketOf(now) - BUCKET_MS);
}

/** Slots of a link of this heat that has `slots` now: up at a tier's heat, down at an eighth of it. */
export function slotsFor(heat: number, slots: number, tiers: readonly HeatTier[] = HEAT_TIERS): number {
  let result = 1;
  for (const tier of tiers) {
    const needed = tier.slots <= slots ? tier.heat * COOLS_AT : tier.heat;
    if (heat >= needed) result = Math.max(result, tier.slots);
  }
  return result;
}

export interface MeasuredLink {
  linkId: string;
  heat: number;
  /** null: the link has no heat row. */
  slots: number | null;
  /** Slots an operator has set; null: its heat decides. Folding goes by heat all the same. */
  pinnedSlots: number | null;
  /** First hour its commits fold; null: none. */
  foldedFrom: number | null;
}

export interface HeatDecision {
  linkId: string;
  heat: number;
  slots: number;
  foldedFrom: number | null;
  /** Slots or folding are not what they were. */
  changed: boolean;
}

/**
 * What becomes of the measured links. The hottest `foldedAtMost` of those above one slot have their
 * hours folded by the commits: each costs every batch it is in a row, and only many visits in a batch
 * make that cheaper than reading the ledger. One that is folded already goes before one that is not.
 */
export function decideHeat(
  measured: readonly MeasuredLink[],
  options: { openHour: number; foldedAtMost: number; tiers?: readonly HeatTier[] },
): HeatDecision[] {
  const decided = measured.map((link) => {
    const byHeat = slotsFor(link.heat, link.slots ?? 1, options.tiers);
    return { link, isHot: byHeat > 1, slots: link.pinnedSlots ?? byHeat };
  });
  const rank = ({ link }: (typeof decided)[number]) => link.heat * (link.foldedFrom === null ? 1 : 1 / COOLS_AT);
  const folded = new Set(
    decided
      .filter(({ isHot }) => isHot)
      .sort((a, b) => rank(b) - rank(a))
      .slice(0, options.foldedAtMost)
      .map(({ link }) => link.linkId),
  );
  return decided.map(({ link, slots }) => {
    const foldedFrom = folded.has(link.linkId) ? (link.foldedFrom ?? options.openHour) : null;
    const changed = slots !== (link.slots ?? 1) || foldedFrom !== link.foldedFrom;
    return { linkId: link.linkId, heat: link.heat, slots, foldedFrom, changed };
  });
}
