import { useTranslation } from 'react-i18next';

import { useValueName } from '../statistics/value-name.js';
import { parseFilter } from './view.js';

/** A filter in words: `Country = Germany`. */
export function useFilterText(): (filter: string) => string {
  const { t } = useTranslation();
  const nameOf = useValueName();
  return (text) => {
    const filter = parseFilter(text);
    if (filter === undefined) return text;
    const { dimension, isExcluded, isPrefix, value } = filter;
    const title = t(`statistics.dimension.${dimension as 'country'}`, { defaultValue: dimension });
    if (isPrefix === true) return t(`statistics.${isExcluded ? 'notBeginning' : 'beginning'}`, { title, value });
    return `${title} ${isExcluded ? '≠' : '='} ${nameOf(dimension, value)}`;
  };
}
