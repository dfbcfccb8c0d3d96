import type { VisitsExplainedAnswer } from '@hopcount/contracts';
import type { ExplainedVisit } from '@hopcount/statistics';

interface Shown {
  /** Of its link, as far as that is still there. */
  address: { code?: string | undefined; domain?: string | undefined; shortUrl?: string | undefined };
  timeZone: string;
  /** What tells the visits of one person from all others. */
  hasVisitor: boolean;
}

/** A visit as clients see it. Pure. */
export function toExplainedVisit(
  { occurredAt, groupId, referrer, referrerHost, visitor, ...visit }: Omit<ExplainedVisit, 'linkId'>,
  { address, timeZone, hasVisitor }: Shown,
): VisitsExplainedAnswer['visits'][number] {
  const at = Temporal.Instant.fromEpochMilliseconds(occurredAt);
  return {
    ...visit,
    ...(hasVisitor && { visitor }),
    date: at.toString({ timeZone, smallestUnit: 'millisecond' }),
    shortCode: address.code ?? null,
    domain: address.domain ?? null,
    shortUrl: address.shortUrl ?? null,
    group: groupId,
    referrerUrl: referrer,
    referrer: referrerHost,
  };
}
