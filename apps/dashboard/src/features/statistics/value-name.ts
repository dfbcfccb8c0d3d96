import { useTranslation } from 'react-i18next';

import { countryName, languageName } from '../../ui/format.js';

/** What the api calls it. */
const UNKNOWN_VALUE = 'unknown';
const CLASSES = ['human', 'bot', 'preview', 'prefetch', 'opted-out'] as const;

/** How a value of a dimension is written; what visitors sent is left as it is. */
export function useValueName(): (dimension: string, value: string) => string {
  const { t, i18n } = useTranslation();
  return (dimension, value) => {
    if (value === '' || value === UNKNOWN_VALUE)
      return dimension.startsWith('referrer') ? t('statistics.direct') : t('statistics.unknown');
    if (dimension === 'country') return countryName(value, i18n.language) ?? value;
    if (dimension === 'language') return languageName(value, i18n.language);
    const known = CLASSES.find((one) => one === value);
    return dimension === 'class' && known !== undefined ? t(`statistics.class.${known}`) : value;
  };
}
