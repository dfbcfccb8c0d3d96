import { NativeSelect } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';

import { useGroups } from '../../features/administration/groups.js';
import { LISTED_STATES, type ListedState } from '../../features/links/listed-states.js';
import type { LinksSearch } from './route.js';

/** undefined takes a filter away. */
export type LinksChange = { [name in keyof LinksSearch]: LinksSearch[name] | undefined };

export interface FilterProps {
  filters: LinksSearch;
  onChange: (change: LinksChange) => void;
}

const IN_BIN = 'in-bin';

/** Of which group, and in which state. */
export function LinkFilters({ filters: { group, state }, onChange }: FilterProps) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const groups = useGroups().data?.groups.data ?? [];
  const stateName = useStateName();
  return (
    <>
      {(groups.length > 0 || group !== undefined) && (
        <NativeSelect
          size="sm"
          aria-label={t('links.group')}
          value={group ?? ''}
          onChange={({ currentTarget: { value } }) => onChange({ group: value === '' ? undefined : value })}
          data={[
            { value: '', label: t('links.anyGroup') },
            ...groups.map(({ groupId, name }) => ({ value: groupId, label: name })),
            ...(group === undefined || groups.some(({ groupId }) => groupId === group)
              ? []
              : [{ value: group, label: group }]),
          ]}
        />
      )}
      <NativeSelect
        size="sm"
        aria-label={t('links.state.title')}
        value={state ?? ''}
        onChange={({ currentTarget: { value } }) =>
          value === IN_BIN
            ? void navigate({ to: '/recycle-bin' })
            : onChange({ state: LISTED_STATES.find((one) => one === value) })
        }
        data={[
          { value: '', label: t('links.anyState') },
          ...LISTED_STATES.map((one) => ({ value: one, label: stateName(one) })),
          { value: IN_BIN, label: t('links.inBin') },
        ]}
      />
    </>
  );
}

const TEXTS = {
  active: 'active',
  disabled: 'disabled',
  'not-yet-valid': 'notYet',
  expired: 'over',
  'limit-reached': 'full',
} as const satisfies Record<ListedState, string>;

/** As its badge says it. */
export function useStateName(): (state: ListedState) => string {
  const { t } = useTranslation();
  return (state) => t(`links.state.${TEXTS[state]}`);
}
