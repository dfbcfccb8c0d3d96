import { Button, Group } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import { useGroups } from '../../features/administration/groups.js';
import { Icon } from '../../ui/icons.js';
import { type FilterProps, type LinksChange, useStateName } from './LinkFilters.js';

/** What the list is narrowed to: each is a button that takes it away. */
export function LinkChips({ filters: { tag, group, state }, onChange }: FilterProps) {
  const { t } = useTranslation();
  const stateName = useStateName();
  const groups = useGroups().data?.groups.data ?? [];
  const groupName = groups.find(({ groupId }) => groupId === group)?.name ?? group;
  const chips: [text: string, without: LinksChange][] = [
    ...(tag === undefined ? [] : [chip(t('links.tag'), tag, { tag: undefined })]),
    ...(groupName === undefined ? [] : [chip(t('links.group'), groupName, { group: undefined })]),
    ...(state === undefined ? [] : [chip(t('links.state.title'), stateName(state), { state: undefined })]),
  ];
  if (chips.length === 0) return null;
  return (
    <Group gap="xs" mb="sm" role="group" aria-label={t('statistics.filters')}>
      {chips.map(([text, without]) => (
        <Button
          key={text}
          size="compact-sm"
          radius="xl"
          variant="light"
          maw="100%"
          rightSection={<Icon name="close" size={14} />}
          aria-label={t('statistics.removeFilter', { filter: text })}
          onClick={() => onChange(without)}
        >
          {text}
        </Button>
      ))}
    </Group>
  );
}

function chip(title: string, value: string, without: LinksChange): [string, LinksChange] {
  return [`${title} = ${value}`, without];
}
