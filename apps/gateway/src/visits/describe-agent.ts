import type { IncomingHttpHeaders } from 'node:http';

import { TEXT_LIMITS, type VisitEventV1 } from '@hopcount/contracts';

import { cutText, decodeHeader } from './clean-text.js';

type ReadHeader = (field: 'userAgent' | 'clientHint', value: string | undefined, name?: string) => string | null;

/** What a request says of its browser and device; the visit and the conditions of rules are given the same. */
export function describeAgent(
  headers: IncomingHttpHeaders,
  read: ReadHeader = readWithinLimit,
): Pick<VisitEventV1, 'userAgent' | 'clientHints'> {
  return { userAgent: read('userAgent', headers['user-agent']), clientHints: clientHints(headers, read) };
}

function clientHints(headers: IncomingHttpHeaders, read: ReadHeader): VisitEventV1['clientHints'] {
  const brands = headers['sec-ch-ua'] as string | undefined;
  const mobile = headers['sec-ch-ua-mobile'] as string | undefined;
  const platform = headers['sec-ch-ua-platform'] as string | undefined;
  if (brands === undefined && mobile === undefined && platform === undefined) return null;
  return {
    brands: read('clientHint', brands, 'clientHints.brands'),
    mobile: read('clientHint', mobile, 'clientHints.mobile'),
    platform: read('clientHint', platform, 'clientHints.platform'),
  };
}

function readWithinLimit(field: keyof typeof TEXT_LIMITS, value: string | undefined): string | null {
  return value === undefined ? null : cutText(decodeHeader(value), TEXT_LIMITS[field]);
}
