import { Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import { useRemark } from '../../features/administration/use-remark.js';
import { FormModal } from '../../ui/FormModal.js';
import { RowMenu } from '../../ui/RowMenu.js';
import { toChange } from './alert-form.js';
import { AlertFields, refusedBy } from './AlertFields.js';
import { type Alert, type Channel, useDeleteAlert, useEditAlert, useTestAlert } from './alerts.js';

interface Props {
  alert: Alert;
  channels: readonly Channel[];
}

export function AlertMenu({ alert, channels }: Props) {
  const { t } = useTranslation();
  const onError = useRemark();
  const [asked, ask] = useState<'edit' | 'delete'>();
  const edit = useEditAlert();
  const test = useTestAlert();
  const { enabled, watched } = alert;
  const sendTest = () =>
    test.mutate(alert, { onSuccess: () => void notifications.show({ message: t('alerts.tested') }), onError });
  const close = () => ask(undefined);
  return (
    <>
      <RowMenu
        label={t('administration.actions', { name: alert.name })}
        actions={[
          { title: t('administration.edit'), onClick: () => ask('edit') },
          ...(enabled && watched ? [{ title: t('alerts.test'), onClick: sendTest }] : []),
          {
            title: t(enabled ? 'administration.disable' : 'administration.enable'),
            onClick: () => edit.mutate({ alert, body: { enabled: !enabled } }, { onError }),
          },
          { title: t('administration.delete'), onClick: () => ask('delete'), isDangerous: true },
        ]}
      />
      {asked === 'edit' && <EditModal alert={alert} channels={channels} onClose={close} />}
      {asked === 'delete' && <DeleteModal alert={alert} onClose={close} />}
    </>
  );
}

function EditModal({ alert, channels, onClose }: Props & { onClose: () => void }) {
  const { t } = useTranslation();
  const edit = useEditAlert();
  return (
    <FormModal
      title={t('alerts.editTitle')}
      submit={t('common.save')}
      state={edit}
      onSubmit={(form) => edit.mutate({ alert, body: toChange(form, alert) }, { onSuccess: onClose })}
      onClose={onClose}
    >
      <AlertFields alert={alert} channels={channels} refused={refusedBy(edit.error)} />
    </FormModal>
  );
}

function DeleteModal({ alert, onClose }: { alert: Alert; onClose: () => void }) {
  const { t } = useTranslation();
  const remove = useDeleteAlert();
  return (
    <FormModal
      title={t('alerts.deleteTitle')}
      submit={t('administration.delete')}
      isDangerous
      state={remove}
      onSubmit={() => remove.mutate(alert, { onSuccess: onClose })}
      onClose={onClose}
    >
      <Text size="sm" className="foreign" fw={500}>
        {alert.name}
      </Text>
      <Text size="sm">{t('alerts.deleteHint')}</Text>
    </FormModal>
  );
}
