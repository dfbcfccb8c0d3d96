import { useTranslation } from 'react-i18next';

import { formatChange, formatCount, formatInstant, formatShare, regionOf } from './format.js';

const REGIONS = new Map<string, string>();

function keptRegion(language: string): string {
  const region = REGIONS.get(language) ?? regionOf(language, navigator.languages);
  REGIONS.set(language, region);
  return region;
}

/** The functions of format.ts in the language of the page, as it is written where somebody is. */
export function useFormat(zone?: string) {
  const language = keptRegion(useTranslation().i18n.language);
  return {
    language,
    count: (count: number | undefined | null) => formatCount(count, language),
    share: (part: number, whole: number) => formatShare(part, whole, language),
    change: (now: number, before: number) => formatChange(now, before, language),
    instant: (instant: string | null | undefined, style: 'date' | 'dateTime' | 'time' | 'exact' = 'dateTime') =>
      formatInstant(instant, style, { language, zone }),
  };
}
