import { NativeSelect, Text } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import { useRemark } from '../../features/administration/use-remark.js';
import { fieldOf, FormModal } from '../../ui/FormModal.js';
import { RowMenu } from '../../ui/RowMenu.js';
import { type ApiKey, useEnableApiKey, useRevokeApiKey, useRotateApiKey } from './api-keys.js';

const HOUR_SECONDS = 3_600;
const GRACES_SECONDS = { none: 0, hour: HOUR_SECONDS, day: 24 * HOUR_SECONDS, week: 168 * HOUR_SECONDS } as const;

interface Props {
  apiKey: ApiKey;
  onSecret: (secret: string) => void;
}

export function ApiKeyMenu({ apiKey, onSecret }: Props) {
  const { t } = useTranslation();
  const onError = useRemark();
  const [asked, ask] = useState<'rotate' | 'revoke'>();
  const enable = useEnableApiKey();
  if (apiKey.state === 'revoked') return null;
  const isDisabled = apiKey.state === 'disabled';
  const toggle = () => enable.mutate({ key: apiKey, enabled: isDisabled }, { onError });
  const close = () => ask(undefined);
  return (
    <>
      <RowMenu
        label={t('administration.actions', { name: apiKey.name })}
        actions={[
          { title: t('apiKeys.rotate'), onClick: () => ask('rotate') },
          { title: t(isDisabled ? 'administration.enable' : 'administration.disable'), onClick: toggle },
          { title: t('apiKeys.revoke'), onClick: () => ask('revoke'), isDangerous: true },
        ]}
      />
      {asked === 'rotate' && <RotateModal apiKey={apiKey} onSecret={onSecret} onClose={close} />}
      {asked === 'revoke' && <RevokeModal apiKey={apiKey} onClose={close} />}
    </>
  );
}

function RotateModal({ apiKey, onSecret, onClose }: Props & { onClose: () => void }) {
  const { t } = useTranslation();
  const rotate = useRotateApiKey();
  const submit = (form: FormData) =>
    // Not as an option of mutate: the row may be another one by then.
    void rotate
      .mutateAsync({ key: apiKey, graceSeconds: Number(fieldOf(form, 'grace')) })
      .then((answer) => {
        onClose();
        onSecret(answer.apiKey);
      })
      .catch(() => undefined); // the form shows `rotate.error`
  return (
    <FormModal
      title={t('apiKeys.rotateTitle', { name: apiKey.name })}
      submit={t('apiKeys.rotate')}
      state={rotate}
      onSubmit={submit}
      onClose={onClose}
    >
      <NativeSelect
        name="grace"
        label={t('apiKeys.grace.title')}
        defaultValue={String(GRACES_SECONDS.day)}
        data={(Object.keys(GRACES_SECONDS) as (keyof typeof GRACES_SECONDS)[]).map((grace) => ({
          value: String(GRACES_SECONDS[grace]),
          label: t(`apiKeys.grace.${grace}`),
        }))}
      />
    </FormModal>
  );
}

function RevokeModal({ apiKey, onClose }: { apiKey: ApiKey; onClose: () => void }) {
  const { t } = useTranslation();
  const revoke = useRevokeApiKey();
  return (
    <FormModal
      title={t('apiKeys.revokeTitle', { name: apiKey.name })}
      submit={t('apiKeys.revoke')}
      isDangerous
      state={revoke}
      onSubmit={() => revoke.mutate(apiKey, { onSuccess: onClose })}
      onClose={onClose}
    >
      <Text size="sm">{t('apiKeys.revokeHint')}</Text>
    </FormModal>
  );
}
