import { Button, Group, TextInput } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';

import { useErrorText } from '../../ui/ErrorState.js';
import { copyText } from './copy-text.js';
import { LinkNotice } from './LinkNotice.js';
import { useCreateLink } from './links.js';

/** One field: paste, Enter, and the short URL is in the clipboard. */
export function CreateLinkForm() {
  const { t } = useTranslation();
  const textOf = useErrorText();
  const create = useCreateLink();
  const [longUrl, setLongUrl] = useState('');
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const link = await create.mutateAsync({ longUrl: longUrl.trim() }).catch(() => undefined);
    if (link === undefined) return;
    setLongUrl('');
    const isCopied = await copyText(link.shortUrl);
    const id = `created-${link.id}`;
    notifications.show({
      id,
      autoClose: 15_000,
      title: t(isCopied ? 'links.create.copied' : 'links.create.created'),
      message: <LinkNotice link={link} undo="delete" onDone={() => notifications.hide(id)} />,
    });
  };
  return (
    <form onSubmit={(event) => void submit(event)} className="no-print">
      <Group align="flex-start" gap="xs" wrap="nowrap" mb="md">
        <TextInput
          style={{ flex: 1 }}
          aria-label={t('links.create.label')}
          placeholder={t('links.create.placeholder')}
          value={longUrl}
          onChange={({ currentTarget }) => setLongUrl(currentTarget.value)}
          error={create.isError && textOf(create.error)}
          inputMode="url"
          required
        />
        <Button type="submit" loading={create.isPending}>
          {t('links.create.button')}
        </Button>
      </Group>
    </form>
  );
}
