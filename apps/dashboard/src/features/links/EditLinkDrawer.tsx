import { Button, Drawer, Group, NumberInput, Stack, Switch, TagsInput, Textarea, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';

import { Answer } from '../../ui/Answer.js';
import { ErrorState } from '../../ui/ErrorState.js';
import { changesOf, type LinkForm, toForm } from './link-form.js';
import { type LinkKey, type ShortUrl, useEditLink, useLink, useTags } from './links.js';

export function EditLinkDrawer({ link, onClose }: { link: LinkKey; onClose: () => void }) {
  const { t } = useTranslation();
  const query = useLink({ shortCode: link.shortCode, domain: link.domain });
  return (
    <Drawer
      opened
      onClose={onClose}
      position="right"
      title={t('links.edit.title')}
      closeButtonProps={{ 'aria-label': t('common.close') }}
    >
      <Answer query={query} height={400}>
        {({ link: read, etag }) => <EditForm link={read} etag={etag} onDone={onClose} />}
      </Answer>
    </Drawer>
  );
}

function EditForm({ link, etag, onDone }: { link: ShortUrl; etag: string | undefined; onDone: () => void }) {
  const { t } = useTranslation();
  // As it was opened: what others change meanwhile is refused by the api, not overwritten.
  const [{ before, version }] = useState({ before: toForm(link), version: etag });
  const [form, setForm] = useState(before);
  const edit = useEditLink();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    edit.mutate({ link, body: changesOf(before, form), etag: version }, { onSuccess: onDone });
  };
  return (
    <form onSubmit={submit}>
      <Stack>
        <Fields form={form} onChange={(change) => setForm((now) => ({ ...now, ...change }))} />
        {edit.isError && <ErrorState error={edit.error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onDone}>
            {t('common.cancel')}
          </Button>
          <Button type="submit" loading={edit.isPending}>
            {t('common.save')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

function Fields({ form, onChange }: { form: LinkForm; onChange: (change: Partial<LinkForm>) => void }) {
  const { t } = useTranslation();
  const tags = useTags();
  const text = (name: 'longUrl' | 'title' | 'validSince' | 'validUntil' | 'note') => ({
    label: t(`links.${name}`),
    value: form[name],
    onChange: ({ currentTarget }: { currentTarget: { value: string } }) => onChange({ [name]: currentTarget.value }),
  });
  return (
    <>
      <TextInput {...text('longUrl')} required inputMode="url" />
      <TextInput {...text('title')} />
      <TagsInput
        label={t('links.tags')}
        value={form.tags}
        onChange={(value) => onChange({ tags: value })}
        data={tags.data?.tags.data ?? []}
      />
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
      <Textarea autosize minRows={2} {...text('note')} />
      <Switch
        label={t('links.disabled')}
        checked={form.disabled}
        onChange={({ currentTarget }) => onChange({ disabled: currentTarget.checked })}
      />
    </>
  );
}
