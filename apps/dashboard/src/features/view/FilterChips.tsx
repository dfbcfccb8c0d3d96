import { Button, Group } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import { Icon } from '../../ui/icons.js';
import { useIsShared } from '../sharing/shared-view.js';
import { useFilterText } from './use-filter-text.js';
import { useView } from './use-view.js';

/** Each filter is a button that takes it away. */
export function FilterChips() {
  const { t } = useTranslation();
  const { view, toggle } = useView();
  const textOf = useFilterText();
  const isShared = useIsShared();
  const filters = view.filter ?? [];
  if (filters.length === 0) return null;
  return (
    <Group gap="xs" mb="sm" role="group" aria-label={t('statistics.filters')}>
      {filters.map((filter) => (
        <Button
          key={filter}
          size="compact-sm"
          radius="xl"
          variant="light"
          maw="100%"
          {...(isShared
            ? { disabled: true }
            : {
                rightSection: <Icon name="close" size={14} />,
                'aria-label': t('statistics.removeFilter', { filter: textOf(filter) }),
                onClick: () => toggle(filter),
              })}
        >
          {textOf(filter)}
        </Button>
      ))}
    </Group>
  );
}
