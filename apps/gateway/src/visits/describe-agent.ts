import { TEXT_LIMITS } from '@hopcount/contracts';

import type { RequestHeaders } from '../front/exchange.js';
import { cutText, decodeHeader } from './clean-text.js';

type ReadHeader<Text> = (field: 'userAgent' | 'clientHint', value: string | undefined, name?: string) => Text;

interface Agent<Text> {
  userAgent: Text;
  clientHints: { brands: Text; mobile: Text; platform: Text } | null;
}

/** What a request says of its browser and device; the visit and the conditions of rules are given the same. */
export function describeAgent<Text>(headers: RequestHeaders, read: ReadHeader<Text>): Agent<Text> {
  return { userAgent: read('userAgent', headers['user-agent']), clientHints: clientHints(headers, read) };
}

function clientHints<Text>(headers: RequestHeaders, read: ReadHeader<Text>): Agent<Text>['clientHints'] {
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

export function readWithinLimit(field: keyof typeof TEXT_LIMITS, value: string | undefined): string | null {
  return value === undefined ? null : cutText(decodeHeader(value), TEXT_LIMITS[field]);
}
