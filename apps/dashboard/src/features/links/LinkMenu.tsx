import { ActionIcon, Menu } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import { useErrorText } from '../../ui/ErrorState.js';
import { Icon } from '../../ui/icons.js';
import { mayWriteTo } from '../session/roles.js';
import { useUser } from '../session/session.js';
import { copyText } from './copy-text.js';
import { EditLinkDrawer } from './EditLinkDrawer.js';
import { LinkNotice } from './LinkNotice.js';
import { type ShortUrl, useDeleteLink, useEditLink } from './links.js';
import { QrCodeModal } from './QrCodeModal.js';

/** What can be done with a link; who may only look gets what only looks. */
export function LinkMenu({ link, onDeleted }: { link: ShortUrl; onDeleted?: () => void }) {
  const { t } = useTranslation();
  const [shown, show] = useState<'edit' | 'qr'>();
  const canWrite = mayWriteTo(useUser(), link.groupId);
  const { toggle, remove } = useQuickChanges(link, onDeleted);
  const copy = async () => {
    const isCopied = await copyText(link.shortUrl);
    notifications.show({ message: isCopied ? t('links.copied') : link.shortUrl });
  };
  return (
    <>
      <Menu position="bottom-end">
        <Menu.Target>
          <ActionIcon variant="subtle" color="gray" aria-label={t('links.actions', { link: link.shortUrl })}>
            <Icon name="more" />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item onClick={() => void copy()}>{t('links.copy')}</Menu.Item>
          <Menu.Item onClick={() => show('qr')}>{t('links.qr.title')}</Menu.Item>
          {canWrite && (
            <>
              <Menu.Item onClick={() => show('edit')}>{t('links.edit.title')}</Menu.Item>
              <Menu.Item onClick={toggle}>{t(link.disabled ? 'links.enable' : 'links.disable')}</Menu.Item>
              <Menu.Divider />
              <Menu.Item color="red" onClick={remove}>
                {t('links.delete')}
              </Menu.Item>
            </>
          )}
        </Menu.Dropdown>
      </Menu>
      {shown === 'qr' && <QrCodeModal link={link} onClose={() => show(undefined)} />}
      {shown === 'edit' && <EditLinkDrawer link={link} onClose={() => show(undefined)} />}
    </>
  );
}

/** Those that are done at once, and can be taken back. */
function useQuickChanges(link: ShortUrl, onDeleted: (() => void) | undefined) {
  const { t } = useTranslation();
  const textOf = useErrorText();
  const [edit, remove] = [useEditLink(), useDeleteLink()];
  const onError = (error: unknown) => notifications.show({ color: 'red', message: textOf(error) });
  const onRemoved = () => {
    const id = `deleted-${link.id}`;
    notifications.show({
      id,
      autoClose: 15_000,
      title: t('links.deleted'),
      message: <LinkNotice link={link} undo="restore" onDone={() => notifications.hide(id)} />,
    });
    onDeleted?.();
  };
  return {
    toggle: () => edit.mutate({ link, body: { disabled: !link.disabled } }, { onError }),
    remove: () => void remove.mutateAsync(link).then(onRemoved, onError),
  };
}
