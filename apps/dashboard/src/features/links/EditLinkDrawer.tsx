import { Drawer, Stack, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';

import { Answer } from '../../ui/Answer.js';
import { ErrorState } from '../../ui/ErrorState.js';
import { FormButtons } from '../../ui/FormButtons.js';
import { changesOf, toForm } from './link-form.js';
import { LinkFields } from './LinkFields.js';
import { type LinkKey, type ShortUrl, useEditLink, useFreshLink } from './links.js';
import { useFocusBack } from '../../ui/use-focus-back.js';

/** @public */
export function EditLinkDrawer({ link, onClose }: { link: LinkKey; onClose: () => void }) {
  useFocusBack();
  const { t } = useTranslation();
  const query = useFreshLink(link);
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
  const change = (changed: Partial<typeof form>) => setForm((now) => ({ ...now, ...changed }));
  const submit = (event: FormEvent) => {
    event.preventDefault();
    edit.mutate({ link, body: changesOf(before, form), etag: version }, { onSuccess: onDone });
  };
  return (
    <form onSubmit={submit}>
      <Stack>
        <TextInput
          label={t('links.longUrl')}
          value={form.longUrl}
          onChange={({ currentTarget }) => change({ longUrl: currentTarget.value })}
          required
          inputMode="url"
          data-autofocus
          // It comes when the drawer has looked for what to focus.
          autoFocus
        />
        <LinkFields form={form} onChange={change} />
        {edit.isError && <ErrorState error={edit.error} />}
        <FormButtons submit={t('common.save')} isPending={edit.isPending} onCancel={onDone} />
      </Stack>
    </form>
  );
}
