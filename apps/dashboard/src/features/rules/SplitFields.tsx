import { Button, CloseButton, Fieldset, Group, NumberInput, Stack, Text, TextInput } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import { useFormat } from '../../ui/use-format.js';
import { without } from './rules-form.js';
import type { RulesEdit } from './rules.js';

type Split = RulesEdit['split'];

interface Props {
  split: Split;
  defaultLongUrl: string;
  onChange: (split: Split) => void;
}

/** Between which targets those are split that no rule is about. */
export function SplitFields({ split, defaultLongUrl, onChange }: Props) {
  const { t } = useTranslation();
  const { share } = useFormat();
  const all = split.reduce((sum, { weight }) => sum + weight, 0);
  const change = (index: number, changed: Partial<Split[number]>) =>
    onChange(split.map((part, at) => (at === index ? { ...part, ...changed } : part)));
  const begin = [
    { longUrl: defaultLongUrl, weight: 50 },
    { longUrl: '', weight: 50 },
  ];
  return (
    <Fieldset legend={t('rules.rest')}>
      <Stack gap="xs">
        {split.length === 0 && (
          <Text size="sm" className="foreign">
            {t('rules.others')} → {defaultLongUrl}
          </Text>
        )}
        {split.map(({ longUrl, weight }, index) => (
          <PartFields
            key={index}
            part={{ longUrl, weight }}
            share={share(weight, all)}
            onChange={(changed) => change(index, changed)}
            onRemove={() => onChange(without(split, index))}
          />
        ))}
        <Button
          size="compact-sm"
          variant="default"
          style={{ alignSelf: 'flex-start' }}
          onClick={() => onChange(split.length === 0 ? begin : [...split, { longUrl: '', weight: 50 }])}
        >
          {t(split.length === 0 ? 'rules.split' : 'rules.addTarget')}
        </Button>
      </Stack>
    </Fieldset>
  );
}

interface PartProps {
  part: Split[number];
  share: string;
  onChange: (changed: Partial<Split[number]>) => void;
  onRemove: () => void;
}

function PartFields({ part: { longUrl, weight }, share, onChange, onRemove }: PartProps) {
  const { t } = useTranslation();
  return (
    <Group align="flex-end" gap="xs">
      <NumberInput
        label={t('rules.weight', { share })}
        w={110}
        min={1}
        max={10_000}
        allowDecimal={false}
        value={weight}
        onChange={(value) => onChange({ weight: Number(value) || 1 })}
        hideControls
      />
      <TextInput
        label={t('rules.target')}
        style={{ flex: '1 1 12rem' }}
        value={longUrl}
        onChange={({ currentTarget }) => onChange({ longUrl: currentTarget.value })}
        inputMode="url"
        required
      />
      <CloseButton aria-label={t('rules.removeTarget')} onClick={onRemove} />
    </Group>
  );
}
