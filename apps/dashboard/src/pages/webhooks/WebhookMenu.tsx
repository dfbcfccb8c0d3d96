import { Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import { useRemark } from '../../features/administration/use-remark.js';
import { FormModal } from '../../ui/FormModal.js';
import { RowMenu } from '../../ui/RowMenu.js';
import { useChangeSearch } from '../../ui/use-change-search.js';
import { WebhookFields, webhookOf } from './WebhookFields.js';
import { useDeleteWebhook, useEditWebhook, useTestWebhook, type Webhook } from './webhooks.js';

export function WebhookMenu({ webhook }: { webhook: Webhook }) {
  const { t } = useTranslation();
  const onError = useRemark();
  const changeSearch = useChangeSearch();
  const [asked, ask] = useState<'edit' | 'delete'>();
  const edit = useEditWebhook();
  const test = useTestWebhook();
  const { enabled } = webhook;
  const sendTest = () =>
    test.mutate(webhook, { onSuccess: () => void notifications.show({ message: t('webhooks.tested') }), onError });
  const close = () => ask(undefined);
  return (
    <>
      <RowMenu
        label={t('administration.actions', { name: webhook.url })}
        actions={[
          { title: t('administration.edit'), onClick: () => ask('edit') },
          { title: t('webhooks.deliveries.title'), onClick: () => changeSearch({ deliveries: webhook.id }) },
          ...(enabled ? [{ title: t('webhooks.test'), onClick: sendTest }] : []),
          {
            title: t(enabled ? 'administration.disable' : 'administration.enable'),
            onClick: () => edit.mutate({ webhook, body: { enabled: !enabled } }, { onError }),
          },
          { title: t('administration.delete'), onClick: () => ask('delete'), isDangerous: true },
        ]}
      />
      {asked === 'edit' && <EditModal webhook={webhook} onClose={close} />}
      {asked === 'delete' && <DeleteModal webhook={webhook} onClose={close} />}
    </>
  );
}

interface Props {
  webhook: Webhook;
  onClose: () => void;
}

function EditModal({ webhook, onClose }: Props) {
  const { t } = useTranslation();
  const edit = useEditWebhook();
  return (
    <FormModal
      title={t('webhooks.editTitle')}
      submit={t('common.save')}
      state={edit}
      onSubmit={(form) => edit.mutate({ webhook, body: webhookOf(form) }, { onSuccess: onClose })}
      onClose={onClose}
    >
      <WebhookFields webhook={webhook} />
    </FormModal>
  );
}

function DeleteModal({ webhook, onClose }: Props) {
  const { t } = useTranslation();
  const remove = useDeleteWebhook();
  return (
    <FormModal
      title={t('webhooks.deleteTitle')}
      submit={t('administration.delete')}
      isDangerous
      state={remove}
      onSubmit={() => remove.mutate(webhook, { onSuccess: onClose })}
      onClose={onClose}
    >
      <Text size="sm" className="foreign" fw={500}>
        {webhook.url}
      </Text>
      <Text size="sm">{t('webhooks.deleteHint', { count: webhook.waiting })}</Text>
    </FormModal>
  );
}
