import { useTranslation } from 'react-i18next';

import { countryName } from '../../ui/format.js';
import { useFormat } from '../../ui/use-format.js';
import { BROWSERS, type Condition, type ConditionType, DEVICES } from './rules.js';

/** Conditions as somebody would say them. */
export function useSentence(): (conditions: readonly Condition[]) => string {
  const { t } = useTranslation();
  const { language, instant } = useFormat();
  const valueOf = ({ type, matchValue }: Condition): string => {
    const value = matchValue ?? '';
    if (type === 'before-date' || type === 'after-date') return instant(value);
    if (type === 'geolocation-country-code') return countryName(value, language) ?? value;
    if (type === 'browser') return BROWSERS[value as keyof typeof BROWSERS] ?? value;
    if (type !== 'device') return value;
    if (value === 'mobile' || value === 'desktop') return t(`rules.devices.${value}`);
    return DEVICES[value as keyof typeof DEVICES] ?? value;
  };
  return (conditions) =>
    new Intl.ListFormat(language, { type: 'conjunction' }).format(
      conditions.map((condition) =>
        t(`rules.conditions.${condition.type as ConditionType}`, {
          key: condition.matchKey ?? '',
          value: valueOf(condition),
        }),
      ),
    );
}
