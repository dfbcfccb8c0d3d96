import { Button, Group, TextInput } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';

import { useErrorText } from '../../ui/ErrorState.js';
import { lazyPart } from '../../ui/lazy-part.js';
import { copyText } from './copy-text.js';
import { LinkNotice } from './LinkNotice.js';
import { type ShortUrl, useCreateLink } from './links.js';

const CreateLinkDrawer = lazyPart(() => import('./CreateLinkDrawer.js'), 'CreateLinkDrawer');

/** One field: paste, Enter, and the short URL is in the clipboard; all else that a link can have is beside it. */
export function CreateLinkForm() {
  const { t } = useTranslation();
  const textOf = useErrorText();
  const create = useCreateLink();
  const [longUrl, setLongUrl] = useState('');
  const [isFull, setFull] = useState(false);
  const announce = useAnnounce();
  const created = (link: ShortUrl) => {
    setFull(false);
    setLongUrl('');
    create.reset();
    return announce(link);
  };
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    // The form shows `create.error`.
    const link = await create.mutateAsync({ longUrl: longUrl.trim() }).catch(() => undefined);
    if (link !== undefined) await created(link);
  };
  return (
    <>
      <form onSubmit={(event) => void submit(event)} className="no-print">
        <Group align="flex-start" gap="xs" mb="md">
          <TextInput
            style={{ flex: '1 1 16rem' }}
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
          <Button variant="default" onClick={() => setFull(true)}>
            {t('links.create.more')}
          </Button>
        </Group>
      </form>
      {isFull && (
        <CreateLinkDrawer longUrl={longUrl} onClose={() => setFull(false)} onCreated={(link) => void created(link)} />
      )}
    </>
  );
}

/** Copies the short URL, and offers to take it back. */
function useAnnounce(): (link: ShortUrl) => Promise<void> {
  const { t } = useTranslation();
  return async (link) => {
    const isCopied = await copyText(link.shortUrl);
    const id = `created-${link.id}`;
    notifications.show({
      id,
      autoClose: 15_000,
      title: t(isCopied ? 'links.create.copied' : 'links.create.created'),
      message: <LinkNotice link={link} undo="delete" onDone={() => notifications.hide(id)} />,
    });
  };
}
