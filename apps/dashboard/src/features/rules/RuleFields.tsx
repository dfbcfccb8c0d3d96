import { Button, Fieldset, Group, Stack, TextInput } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import { ConditionFields } from './ConditionFields.js';
import { emptyCondition, type RuleForm, without } from './rules-form.js';

interface Props {
  number: number;
  rule: RuleForm;
  onChange: (rule: RuleForm) => void;
  onRemove: () => void;
  /** Undefined: it is the first. */
  onUp: (() => void) | undefined;
}

export function RuleFields({ number, rule, onChange, onRemove, onUp }: Props) {
  const { t } = useTranslation();
  const { conditions, longUrl } = rule;
  return (
    <Fieldset legend={t('rules.rule', { number })}>
      <Stack gap="xs">
        {conditions.map((condition, index) => (
          <ConditionFields
            key={index}
            isFirst={index === 0}
            condition={condition}
            onChange={(changed) =>
              onChange({ ...rule, conditions: conditions.map((one, at) => (at === index ? changed : one)) })
            }
            onRemove={
              conditions.length > 1 ? () => onChange({ ...rule, conditions: without(conditions, index) }) : undefined
            }
          />
        ))}
        <TextInput
          label={t('rules.target')}
          value={longUrl}
          onChange={({ currentTarget }) => onChange({ ...rule, longUrl: currentTarget.value })}
          inputMode="url"
          required
        />
        <Group gap="xs">
          <Button
            size="compact-sm"
            variant="default"
            onClick={() => onChange({ ...rule, conditions: [...conditions, emptyCondition('language')] })}
          >
            {t('rules.and')}
          </Button>
          {onUp !== undefined && (
            <Button size="compact-sm" variant="default" onClick={onUp}>
              {t('rules.up')}
            </Button>
          )}
          <Button size="compact-sm" variant="subtle" color="red" onClick={onRemove}>
            {t('rules.remove', { number })}
          </Button>
        </Group>
      </Stack>
    </Fieldset>
  );
}
