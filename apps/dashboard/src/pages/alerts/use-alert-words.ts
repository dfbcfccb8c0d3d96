import { useTranslation } from 'react-i18next';

import { useFormat } from '../../ui/use-format.js';
import { subjectOf } from './alert-form.js';
import type { Alert } from './alerts.js';

/** How much of a unit a window is, in the largest one that has no rest. */
const UNITS = [
  ['day', 1_440],
  ['hour', 60],
  ['minute', 1],
] as const;

/** What an alert watches, and when it tells, as people say it. */
export function useAlertWords() {
  const { t } = useTranslation();
  const { count, language } = useFormat();
  const window = (minutes: number) => {
    const [unit, size] = UNITS.find(([, one]) => minutes % one === 0) ?? UNITS[2];
    return new Intl.NumberFormat(language, { style: 'unit', unit, unitDisplay: 'long' }).format(minutes / size);
  };
  const watched = (alert: Alert) => {
    const subject = subjectOf(alert);
    switch (subject) {
      case 'all':
        return t('alerts.of.all');
      case 'link':
        return `${alert.domain ?? ''}/${alert.shortCode ?? ''}`;
      case 'host':
        return t('alerts.of.host', {
          kind: t(`alerts.hostKinds.${alert.hostKind ?? 'target'}`),
          name: alert.host ?? '',
        });
      case 'tag':
      case 'group':
      case 'domain':
        return t(`alerts.of.${subject}`, { name: alert[subject] ?? '' });
    }
  };
  const condition = ({ kind, threshold, factor, windowMinutes }: Alert) => {
    const values = { visits: count(threshold), count: threshold, factor: count(factor), window: window(windowMinutes) };
    return t(`alerts.is.${kind === 'below' && threshold === 1 ? 'none' : kind}`, values);
  };
  return { window, watched, condition };
}
