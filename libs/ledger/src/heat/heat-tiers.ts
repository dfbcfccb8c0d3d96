import { BUCKET_MS, bucketOf, hourOf } from '../buckets.js';

export interface HeatTier {
  /** Heat from which a link belongs to it. */
  heat: number;
  slots: number;
}

/**
 * A link's visits since `heatWindowStart()`. The upper two are 30 to 60 and 300 to 1,000 visits a second. The first has
 * a slot for each of the topic's 12 partitions: with 8, two of them waited for each other.
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

/** From which heat commits fold a link's hours, and for how many links at most. */
interface FoldLimits {
  heat: number;
  links: number;
}

const FIRST_TIER = { heat: 5_000, links: 16 };
const FOLDED_AT_MOST = 10_000;

/**
 * At 5,000 visits an open hour costs the ledger about 35 ms to answer. Each folded link costs every batch it is in a
 * row, so there are 16 of them, and more the lower `AGGREGATE_FROM` is; 10,000 bound the table of heat. With 1 the
 * commits fold all links without being told: what is marked here has its hour repaired while it is open.
 */
export function foldLimits(aggregateFrom: number): FoldLimits {
  if (aggregateFrom === 1) return FIRST_TIER;
  const links = Math.ceil((FIRST_TIER.heat * FIRST_TIER.links) / aggregateFrom);
  return { heat: aggregateFrom, links: Math.min(links, FOLDED_AT_MOST) };
}

/**
 * What becomes of the measured links. The hottest of those above the limit have their hours folded by the commits. One
 * that is folded already goes before one that is not.
 */
export function decideHeat(
  measured: readonly MeasuredLink[],
  options: { openHour: number; fold: FoldLimits; tiers?: readonly HeatTier[] },
): HeatDecision[] {
  const { openHour, fold, tiers } = options;
  const decided = measured.map((link) => {
    const slots = link.pinnedSlots ?? slotsFor(link.heat, link.slots ?? 1, tiers);
    const isHot = link.heat >= fold.heat * (link.foldedFrom === null ? 1 : COOLS_AT);
    return { link, isHot, slots };
  });
  const rank = ({ link }: (typeof decided)[number]) => link.heat * (link.foldedFrom === null ? 1 : 1 / COOLS_AT);
  const folded = new Set(
    decided
      .filter(({ isHot }) => isHot)
      .sort((a, b) => rank(b) - rank(a))
      .slice(0, fold.links)
      .map(({ link }) => link.linkId),
  );
  return decided.map(({ link, slots }) => {
    const foldedFrom = folded.has(link.linkId) ? (link.foldedFrom ?? openHour) : null;
    const changed = slots !== (link.slots ?? 1) || foldedFrom !== link.foldedFrom;
    return { linkId: link.linkId, heat: link.heat, slots, foldedFrom, changed };
  });
}
