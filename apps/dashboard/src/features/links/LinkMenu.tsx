import { notifications } from '@mantine/notifications';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import { useErrorText } from '../../ui/ErrorState.js';
import { lazyPart } from '../../ui/lazy-part.js';
import { RowMenu } from '../../ui/RowMenu.js';
import { mayWriteTo } from '../session/roles.js';
import { useUser } from '../session/session.js';
import { copyText } from './copy-text.js';
import { LinkNotice } from './LinkNotice.js';
import { type ShortUrl, useDeleteLink, useEditLink } from './links.js';

const EditLinkDrawer = lazyPart(() => import('./EditLinkDrawer.js'), 'EditLinkDrawer');
const QrCodeModal = lazyPart(() => import('./QrCodeModal.js'), 'QrCodeModal');

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
      <RowMenu
        label={t('links.actions', { link: link.shortUrl })}
        actions={[
          { title: t('links.copy'), onClick: () => void copy() },
          { title: t('links.qr.title'), onClick: () => show('qr') },
          ...(canWrite
            ? [
                { title: t('links.edit.title'), onClick: () => show('edit') },
                { title: t(link.disabled ? 'links.enable' : 'links.disable'), onClick: toggle },
                { title: t('links.delete'), isDangerous: true, onClick: remove },
              ]
            : []),
        ]}
      />
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
