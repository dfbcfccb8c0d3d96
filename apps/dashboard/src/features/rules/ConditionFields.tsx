import { CloseButton, Group, NativeSelect, TextInput } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import { toInstant, toLocal } from '../links/link-form.js';
import { type ConditionForm, emptyCondition, EXAMPLES, hasKey, hasValue } from './rules-form.js';
import { BROWSERS, CONDITION_TYPES, type ConditionType, DEVICES } from './rules.js';

interface Props {
  isFirst: boolean;
  condition: ConditionForm;
  onChange: (condition: ConditionForm) => void;
  /** Undefined: a rule has one at least. */
  onRemove: (() => void) | undefined;
}

/** One condition as a part of a sentence: what, and which. */
export function ConditionFields({ isFirst, condition, onChange, onRemove }: Props) {
  const { t } = useTranslation();
  const { type, matchKey } = condition;
  return (
    <Group align="flex-end" gap="xs">
      <NativeSelect
        label={t(isFirst ? 'rules.when' : 'rules.andWhen')}
        style={{ flex: '1 1 9rem' }}
        value={type}
        onChange={({ currentTarget }) => onChange(emptyCondition(currentTarget.value as ConditionType))}
        data={CONDITION_TYPES.map((one) => ({ value: one, label: t(`rules.types.${one}`) }))}
      />
      {hasKey(type) && (
        <TextInput
          label={t('rules.parameter')}
          style={{ flex: '1 1 7rem' }}
          value={matchKey ?? ''}
          onChange={({ currentTarget }) => onChange({ ...condition, matchKey: currentTarget.value })}
          required
        />
      )}
      {hasValue(type) && (
        <ValueField condition={condition} onValue={(matchValue) => onChange({ ...condition, matchValue })} />
      )}
      {onRemove !== undefined && <CloseButton aria-label={t('rules.removeCondition')} onClick={onRemove} />}
    </Group>
  );
}

function ValueField({ condition, onValue }: { condition: ConditionForm; onValue: (value: string) => void }) {
  const { t } = useTranslation();
  const { type } = condition;
  const value = condition.matchValue ?? '';
  const common = { label: t('rules.value'), style: { flex: '1 1 9rem' } };
  if (type === 'device' || type === 'browser') {
    const kinds = { mobile: t('rules.devices.mobile'), desktop: t('rules.devices.desktop') };
    const options = type === 'browser' ? BROWSERS : { ...DEVICES, ...kinds };
    return (
      <NativeSelect
        {...common}
        value={value}
        onChange={({ currentTarget }) => onValue(currentTarget.value)}
        data={Object.entries(options).map(([name, label]) => ({ value: name, label }))}
      />
    );
  }
  if (type === 'before-date' || type === 'after-date') {
    return (
      <TextInput
        {...common}
        type="datetime-local"
        value={toLocal(value === '' ? null : value)}
        onChange={({ currentTarget }) => onValue(toInstant(currentTarget.value) ?? '')}
        required
      />
    );
  }
  return (
    <TextInput
      {...common}
      placeholder={EXAMPLES[type]}
      value={value}
      onChange={({ currentTarget }) => onValue(currentTarget.value)}
      required
    />
  );
}
