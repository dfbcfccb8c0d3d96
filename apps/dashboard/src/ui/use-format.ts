import { useTranslation } from 'react-i18next';

import { formatChange, formatCount, formatInstant, formatShare } from './format.js';

/** The functions of format.ts in the language of the page. */
export function useFormat(zone?: string) {
  const { language } = useTranslation().i18n;
  return {
    language,
    count: (count: number | undefined | null) => formatCount(count, language),
    share: (part: number, whole: number) => formatShare(part, whole, language),
    change: (now: number, before: number) => formatChange(now, before, language),
    instant: (instant: string | null | undefined, style: 'date' | 'dateTime' | 'time' | 'exact' = 'dateTime') =>
      formatInstant(instant, style, { language, zone }),
  };
}
