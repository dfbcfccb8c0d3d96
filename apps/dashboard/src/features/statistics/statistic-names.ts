/** What there is a table of, as the api names it. */
export const STATISTICS = [
  ...(['links', 'series', 'country', 'region', 'city', 'os', 'osVersion', 'browser', 'browserVersion'] as const),
  ...(['device', 'network', 'language', 'referrer', 'referrerUrl', 'channel', 'class', 'classReason'] as const),
  ...(['utmCampaign', 'utmSource', 'utmMedium', 'utmTerm', 'utmContent', 'destination', 'route'] as const),
  ...(['domain', 'group', 'importedFrom', 'firstSeen'] as const),
] as const;
export type StatisticName = (typeof STATISTICS)[number];
export type DimensionName = Exclude<StatisticName, 'links' | 'series'>;

/** Known from addresses, of databases whose licence asks to be named. */
export const PLACES: readonly StatisticName[] = ['country', 'region', 'city', 'network'];

/** Panels that are a table already. */
export const TOTALS = 'totals';
export const WEEK = 'week';
