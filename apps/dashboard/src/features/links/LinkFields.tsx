import { NativeSelect, NumberInput, Switch, Textarea, TextInput } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import { useGroups } from '../administration/groups.js';
import type { LinkForm } from './link-form.js';
import { TagsField } from './TagsField.js';

interface Props {
  form: LinkForm;
  onChange: (change: Partial<LinkForm>) => void;
}

/** What of a link can be set, when it is created and later. */
export function LinkFields({ form, onChange }: Props) {
  const { t } = useTranslation();
  const text = (name: 'title' | 'validSince' | 'validUntil' | 'expiredUrl' | 'note') => ({
    label: t(`links.${name}`),
    value: form[name],
    onChange: ({ currentTarget }: { currentTarget: { value: string } }) => onChange({ [name]: currentTarget.value }),
  });
  return (
    <>
      <TextInput {...text('title')} />
      <TagsField value={form.tags} onChange={(tags) => onChange({ tags })} />
      <GroupField value={form.groupId} onChange={(groupId) => onChange({ groupId })} />
      <TextInput type="datetime-local" {...text('validSince')} />
      <TextInput type="datetime-local" {...text('validUntil')} />
      <NumberInput
        label={t('links.maxVisits')}
        value={form.maxVisits}
        onChange={(value) => onChange({ maxVisits: value === '' ? '' : Number(value) })}
        min={1}
        allowDecimal={false}
        hideControls
      />
      <TextInput inputMode="url" description={t('links.expiredUrlHint')} {...text('expiredUrl')} />
      <Textarea autosize minRows={2} {...text('note')} />
      <Switch
        label={t('links.disabled')}
        checked={form.disabled}
        onChange={({ currentTarget }) => onChange({ disabled: currentTarget.checked })}
      />
    </>
  );
}

function GroupField({ value, onChange }: { value: string; onChange: (groupId: string) => void }) {
  const { t } = useTranslation();
  const groups = useGroups().data?.groups.data ?? [];
  if (groups.length === 0) return null;
  return (
    <NativeSelect
      label={t('links.group')}
      value={value}
      onChange={({ currentTarget }) => onChange(currentTarget.value)}
      data={[
        { value: '', label: t('links.noGroup') },
        ...groups.map(({ groupId, name }) => ({ value: groupId, label: name })),
      ]}
    />
  );
}
