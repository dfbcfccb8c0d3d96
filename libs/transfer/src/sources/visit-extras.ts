import { CHANNELS, CLASS_REASONS } from '@hopcount/contracts';

import type { Fields } from './fields.js';
import type { VisitExtras } from './source-visit.js';

/** What our own exports say of a visit beside what others say, too. */
export function extrasOf(fields: Fields): VisitExtras {
  const utm = {
    source: fields.text('utmSource'),
    medium: fields.text('utmMedium'),
    campaign: fields.text('utmCampaign'),
    term: fields.text('utmTerm'),
    content: fields.text('utmContent'),
  };
  return {
    osVersion: fields.text('osVersion'),
    browserVersion: fields.text('browserVersion'),
    network: fields.text('network'),
    route: fields.text('route'),
    channel: fields.known(['channel'], (text) => CHANNELS.find((one) => one === text) ?? null),
    classReason: fields.known(['classReason'], (text) => CLASS_REASONS.find((one) => one === text) ?? null),
    utm: Object.values(utm).some((value) => value !== null) ? utm : null,
  };
}

export const NO_EXTRAS: VisitExtras = {
  ...{ osVersion: null, browserVersion: null, network: null, route: null, channel: null, classReason: null, utm: null },
};
