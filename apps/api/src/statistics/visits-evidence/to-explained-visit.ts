import type { VisitsExplainedAnswer } from '@hopcount/contracts';
import type { ExplainedVisit } from '@hopcount/statistics';
import { Temporal } from 'temporal-polyfill';

/** A visit as clients see it. Pure. @param address of its link, as far as that is still there */
export function toExplainedVisit(
  { occurredAt, groupId, referrer, referrerHost, ...visit }: Omit<ExplainedVisit, 'linkId'>,
  address: { code?: string | undefined; domain?: string | undefined; shortUrl?: string | undefined },
  timeZone: string,
): VisitsExplainedAnswer['visits'][number] {
  const at = Temporal.Instant.fromEpochMilliseconds(occurredAt);
  return {
    ...visit,
    date: at.toString({ timeZone, smallestUnit: 'millisecond' }),
    shortCode: address.code ?? null,
    domain: address.domain ?? null,
    shortUrl: address.shortUrl ?? null,
    group: groupId,
    referrerUrl: referrer,
    referrer: referrerHost,
  };
}
