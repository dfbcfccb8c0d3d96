import type { ShortUrl } from './links.js';

export type LinkState = 'disabled' | 'notYet' | 'over' | 'full' | 'active';
type Limits = Pick<ShortUrl, 'disabled' | 'meta' | 'visitsSummary'>;

/** Whether visitors of the link get on, and why not. */
export function linkState({ disabled, meta, visitsSummary }: Limits, now: number): LinkState {
  const { validSince, validUntil, maxVisits } = meta;
  if (disabled) return 'disabled';
  if (validSince !== null && Date.parse(validSince) > now) return 'notYet';
  if (validUntil !== null && Date.parse(validUntil) < now) return 'over';
  return maxVisits !== null && visitsSummary.total >= maxVisits ? 'full' : 'active';
}
