import { Text } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import { useRemark } from '../../features/administration/use-remark.js';
import { type User, useUser } from '../../features/session/session.js';
import { FormModal } from '../../ui/FormModal.js';
import { RowMenu } from '../../ui/RowMenu.js';
import { RoleFields, rolesOf } from './RoleFields.js';
import { useDeleteUser, useEditUser, useResetUser, useUnbindUser } from './users.js';

interface Props {
  user: User;
  onLink: (link: string) => void;
}

/** Nobody locks themselves out here: of oneself only the profile is changed. */
export function UserMenu({ user, onLink }: Props) {
  const { t } = useTranslation();
  const onError = useRemark();
  const [asked, ask] = useState<'roles' | 'reset' | 'unbind' | 'delete'>();
  const edit = useEditUser();
  const self = useUser();
  if (user.id === self.id) return null;
  const close = () => ask(undefined);
  const toggle = () => edit.mutate({ user, body: { enabled: !user.enabled } }, { onError });
  return (
    <>
      <RowMenu
        label={t('administration.actions', { name: user.email })}
        actions={[
          { title: t('users.editRoles'), onClick: () => ask('roles') },
          { title: t('users.reset'), onClick: () => ask('reset') },
          ...(user.hasProvider ? [{ title: t('users.unbind'), onClick: () => ask('unbind') }] : []),
          { title: t(user.enabled ? 'administration.disable' : 'administration.enable'), onClick: toggle },
          { title: t('administration.delete'), onClick: () => ask('delete'), isDangerous: true },
        ]}
      />
      {asked === 'roles' && <RolesModal user={user} onClose={close} />}
      {asked === 'reset' && <ResetModal user={user} onLink={onLink} onClose={close} />}
      {asked === 'unbind' && <UnbindModal user={user} onClose={close} />}
      {asked === 'delete' && <DeleteModal user={user} onClose={close} />}
    </>
  );
}

function RolesModal({ user, onClose }: { user: User; onClose: () => void }) {
  const { t } = useTranslation();
  const edit = useEditUser();
  return (
    <FormModal
      title={t('users.rolesTitle', { name: user.name })}
      submit={t('common.save')}
      state={edit}
      onSubmit={(form) => edit.mutate({ user, body: rolesOf(form, user) }, { onSuccess: onClose })}
      onClose={onClose}
    >
      <RoleFields roles={user} />
    </FormModal>
  );
}

function ResetModal({ user, onLink, onClose }: Props & { onClose: () => void }) {
  const { t } = useTranslation();
  const reset = useResetUser();
  const submit = () =>
    reset.mutate(user, {
      onSuccess: ({ link }) => {
        onClose();
        onLink(link);
      },
    });
  return (
    <FormModal
      title={t('users.resetTitle', { name: user.name })}
      submit={t('users.reset')}
      isDangerous
      state={reset}
      onSubmit={submit}
      onClose={onClose}
    >
      <Text size="sm">{t('users.resetHint')}</Text>
    </FormModal>
  );
}

function UnbindModal({ user, onClose }: { user: User; onClose: () => void }) {
  const { t } = useTranslation();
  const unbind = useUnbindUser();
  return (
    <FormModal
      title={t('users.unbindTitle', { name: user.name })}
      submit={t('users.unbind')}
      isDangerous
      state={unbind}
      onSubmit={() => unbind.mutate(user, { onSuccess: onClose })}
      onClose={onClose}
    >
      <Text size="sm">{t('users.unbindHint')}</Text>
    </FormModal>
  );
}

function DeleteModal({ user, onClose }: { user: User; onClose: () => void }) {
  const { t } = useTranslation();
  const remove = useDeleteUser();
  return (
    <FormModal
      title={t('users.deleteTitle', { name: user.name })}
      submit={t('administration.delete')}
      isDangerous
      state={remove}
      onSubmit={() => remove.mutate(user, { onSuccess: onClose })}
      onClose={onClose}
    >
      <Text size="sm">{t('users.deleteHint')}</Text>
    </FormModal>
  );
}
