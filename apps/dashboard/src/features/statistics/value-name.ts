import { useTranslation } from 'react-i18next';

import { countryName, languageName } from '../../ui/format.js';
import { weekdayName } from './week.js';

/** What the api calls it. */
const UNKNOWN_VALUE = 'unknown';
const DIRECT = 'direct';
const CLASSES = ['human', 'bot', 'preview', 'prefetch', 'opted-out'] as const;

const CLASS_REASONS = [
  ...(['person', 'prefetch-header', 'preview-agent', 'no-agent', 'http-library', 'known-bot'] as const),
  ...(['do-not-track', 'imported', 'click-flood'] as const),
] as const;
const CHANNELS = ['direct', 'search', 'social', 'mail', 'paid', 'internal', 'other'] as const;
const DEVICES = ['desktop', 'mobile', 'tablet', 'tv', 'console', 'wearable'] as const;
const ORPHAN_TYPES = ['base_url', 'invalid_short_url', 'regular_404', 'blocked', 'held_back'] as const;
const FIRST_SEEN = ['new', 'returning'] as const;

/** How a value of a dimension is written; what visitors sent is left as it is. */
export function useValueName(): (dimension: string, value: string) => string {
  const { t, i18n } = useTranslation();
  return (dimension, value) => {
    if (dimension.startsWith('referrer') && value === DIRECT) return t('statistics.direct');
    if (value === '' || value === UNKNOWN_VALUE) return t('statistics.unknown');
    if (dimension === 'country') return countryName(value, i18n.language) ?? value;
    if (dimension === 'language') return languageName(value, i18n.language);
    if (dimension === 'weekday') return weekdayName(value, i18n.language);
    if (dimension === 'hour') return `${value}:00`;
    if (dimension === 'class') return named(CLASSES, value, (one) => t(`statistics.class.${one}`));
    if (dimension === 'classReason') return named(CLASS_REASONS, value, (one) => t(`statistics.classReason.${one}`));
    if (dimension === 'channel') return named(CHANNELS, value, (one) => t(`statistics.channel.${one}`));
    if (dimension === 'device') return named(DEVICES, value, (one) => t(`statistics.device.${one}`));
    if (dimension === 'type') return named(ORPHAN_TYPES, value, (one) => t(`orphans.types.${one}`));
    if (dimension === 'firstSeen') return named(FIRST_SEEN, value, (one) => t(`statistics.firstSeen.${one}`));
    return value;
  };
}

function named<Known extends string>(known: readonly Known[], value: string, nameOf: (known: Known) => string): string {
  const found = known.find((one) => one === value);
  return found === undefined ? value : nameOf(found);
}
