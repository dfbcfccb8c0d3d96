import { Group, NativeSelect, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import { FilterChips } from './FilterChips.js';
import { BROWSER_ZONE, useView } from './use-view.js';
import { COMPARISONS, DEFAULT_RANGE, RANGES, type Range } from './view.js';
import { zoneNames } from './zone-names.js';

const CUSTOM = 'custom';

/** Which time is looked at, in which zone, held against what, and with which filters: all of it in the address. */
export function ViewBar() {
  const { t } = useTranslation();
  const { view, zone, change } = useView();
  const [isCustom, setCustom] = useState(view.from !== undefined);
  const chooseRange = (value: string) => {
    setCustom(value === CUSTOM);
    if (value !== CUSTOM) change({ range: value as Range, from: undefined, to: undefined });
  };
  return (
    <div className="no-print">
      <Group gap="sm" align="flex-end" mb="sm">
        <NativeSelect
          label={t('statistics.range.label')}
          size="xs"
          value={isCustom ? CUSTOM : (view.range ?? DEFAULT_RANGE)}
          onChange={({ currentTarget }) => chooseRange(currentTarget.value)}
          data={[
            ...RANGES.map((range) => ({ value: range, label: t(`statistics.range.${range}`) })),
            { value: CUSTOM, label: t('statistics.range.custom') },
          ]}
        />
        {isCustom && <CustomRange />}
        <NativeSelect
          label={t('statistics.compare.label')}
          size="xs"
          value={view.compare ?? ''}
          onChange={({ currentTarget }) =>
            change({ compare: COMPARISONS.find((comparison) => comparison === currentTarget.value) })
          }
          data={[
            { value: '', label: t('statistics.compare.none') },
            ...COMPARISONS.map((comparison) => ({ value: comparison, label: t(`statistics.compare.${comparison}`) })),
          ]}
        />
        <NativeSelect
          label={t('statistics.zone')}
          size="xs"
          maw="14rem"
          value={zone}
          onChange={({ currentTarget: { value } }) => change({ zone: value === BROWSER_ZONE ? undefined : value })}
          data={zoneNames(zone, BROWSER_ZONE)}
        />
      </Group>
      <FilterChips />
    </div>
  );
}

/** Both days, or nothing is asked yet. */
function CustomRange() {
  const { t } = useTranslation();
  const { view, change } = useView();
  const [from, setFrom] = useState(view.from ?? '');
  const [to, setTo] = useState(view.to ?? '');
  const set = (first: string, last: string) => {
    setFrom(first);
    setTo(last);
    if (first !== '' && last !== '' && first <= last) change({ range: undefined, from: first, to: last });
  };
  const isTurned = from !== '' && to !== '' && from > to;
  return (
    <>
      <TextInput
        type="date"
        size="xs"
        label={t('statistics.range.from')}
        value={from}
        onChange={({ currentTarget }) => set(currentTarget.value, to)}
      />
      <TextInput
        type="date"
        size="xs"
        label={t('statistics.range.to')}
        value={to}
        error={isTurned && t('statistics.range.turned')}
        onChange={({ currentTarget }) => set(from, currentTarget.value)}
      />
    </>
  );
}
