import { Button, Group } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import { useValueName } from '../statistics/value-name.js';
import { Icon } from '../../ui/icons.js';
import { useView } from './use-view.js';
import { parseFilter } from './view.js';

/** Each filter is a button that takes it away. */
export function FilterChips() {
  const { t } = useTranslation();
  const { view, toggle } = useView();
  const nameOf = useValueName();
  const filters = view.filter ?? [];
  if (filters.length === 0) return null;
  return (
    <Group gap="xs" mb="sm" role="group" aria-label={t('statistics.filters')}>
      {filters.map((text) => {
        const filter = parseFilter(text);
        if (filter === undefined) return null;
        const { dimension, isExcluded, value } = filter;
        const title = t(`statistics.dimension.${dimension as 'country'}`, { defaultValue: dimension });
        const said = `${title} ${isExcluded ? '≠' : '='} ${nameOf(dimension, value)}`;
        return (
          <Button
            key={text}
            size="compact-sm"
            radius="xl"
            variant="light"
            maw="100%"
            rightSection={<Icon name="close" size={14} />}
            aria-label={t('statistics.removeFilter', { filter: said })}
            onClick={() => toggle(text)}
          >
            {said}
          </Button>
        );
      })}
    </Group>
  );
}
