import { Group, NativeSelect, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import { useIsShared } from '../sharing/shared-view.js';
import { FilterChips } from './FilterChips.js';
import { useFilterText } from './use-filter-text.js';
import { SavedViews } from './SavedViews.js';
import { RANGE_KEYS } from './shortcuts.js';
import { useShortcuts } from './use-shortcuts.js';
import { BROWSER_ZONE, useView } from './use-view.js';
import { COMPARISONS, DEFAULT_RANGE, RANGES, type Range } from './view.js';
import { zoneNames } from './zone-names.js';

const CUSTOM = 'custom';

/** Which time is looked at, in which zone, held against what, and with which filters: all of it in the address. */
export function ViewBar() {
  const { t } = useTranslation();
  const controls = useView();
  const isShared = useIsShared();
  const { view, change } = controls;
  useShortcuts(controls);
  const [isChoosing, setChoosing] = useState(false);
  const isCustom = isChoosing || view.from !== undefined;
  const chooseRange = (value: string) => {
    setChoosing(value === CUSTOM);
    if (value !== CUSTOM) change({ range: value as Range, from: undefined, to: undefined });
  };
  return (
    <>
      <PrintedView />
      <div className="no-print">
        <Group gap="sm" align="flex-end" mb="sm">
          <NativeSelect
            label={t('statistics.range.label')}
            size="xs"
            value={isCustom ? CUSTOM : (view.range ?? DEFAULT_RANGE)}
            onChange={({ currentTarget }) => chooseRange(currentTarget.value)}
            data={[
              ...RANGES.map((range) => ({ value: range, label: withKey(t(`statistics.range.${range}`), range) })),
              { value: CUSTOM, label: t('statistics.range.custom') },
            ]}
          />
          {isCustom && <CustomRange key={`${view.from ?? ''} ${view.to ?? ''}`} />}
          <CompareSelect />
          <ZoneSelect />
          {!isShared && <SavedViews />}
        </Group>
        <FilterChips />
      </div>
    </>
  );
}

/** Its 400 names are there once somebody is about to choose: they would take the first page a tenth of its time. */
function ZoneSelect() {
  const { t } = useTranslation();
  const { zone, change } = useView();
  const [isNear, setNear] = useState(false);
  const comeNear = () => setNear(true);
  return (
    <NativeSelect
      label={t('statistics.zone')}
      size="xs"
      w="14rem"
      value={zone}
      onPointerEnter={comeNear}
      onFocus={comeNear}
      onChange={({ currentTarget: { value } }) => change({ zone: value === BROWSER_ZONE ? undefined : value })}
      data={isNear ? zoneNames(zone, BROWSER_ZONE) : [zone]}
    />
  );
}

function CompareSelect() {
  const { t } = useTranslation();
  const { view, change } = useView();
  return (
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
  );
}

/** What the controls say, on paper. */
function PrintedView() {
  const { t } = useTranslation();
  const { view, zone } = useView();
  const textOf = useFilterText();
  const days =
    view.from === undefined ? t(`statistics.range.${view.range ?? DEFAULT_RANGE}`) : `${view.from} – ${view.to ?? ''}`;
  return <p className="print-only">{[days, zone, ...(view.filter ?? []).map(textOf)].join(' · ')}</p>;
}

/** With the key that chooses it, where there is one. */
function withKey(label: string, range: Range): string {
  const key = range in RANGE_KEYS ? RANGE_KEYS[range as keyof typeof RANGE_KEYS] : undefined;
  return key === undefined ? label : `${label} (${key.toUpperCase()})`;
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
