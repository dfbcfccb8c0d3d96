import { Badge, Button, Paper, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import { SecretModal } from '../../features/administration/SecretModal.js';
import type { User } from '../../features/session/session.js';
import { Answer } from '../../ui/Answer.js';
import { type Column, DataTable } from '../../ui/DataTable.js';
import { FormModal } from '../../ui/FormModal.js';
import { PageHeader } from '../../ui/PageHeader.js';
import { Pages, usePage } from '../../ui/Pages.js';
import { useFormat } from '../../ui/use-format.js';
import { InvitesPanel } from './InvitesPanel.js';
import { RoleFields, rolesOf } from './RoleFields.js';
import { RolesText } from './RolesText.js';
import { UserMenu } from './UserMenu.js';
import { useInviteUser, useUsers } from './users.js';

/** @public */
export function UsersPage() {
  const { t } = useTranslation();
  const query = useUsers(usePage());
  const [isInviting, setInviting] = useState(false);
  const [link, setLink] = useState<string>();
  const columns = useColumns(setLink);
  const onLink = (made: string) => {
    setInviting(false);
    setLink(made);
  };
  return (
    <>
      <PageHeader title={t('users.title')}>
        <Button onClick={() => setInviting(true)}>{t('users.invite')}</Button>
      </PageHeader>
      <Stack>
        <Paper withBorder>
          <Answer query={query}>
            {({ users: { data, pagination } }) => (
              <>
                <DataTable label={t('users.title')} columns={columns} rows={data} keyOf={({ id }) => String(id)} />
                <Pages pagination={pagination} />
              </>
            )}
          </Answer>
        </Paper>
        <InvitesPanel />
      </Stack>
      {isInviting && <InviteModal onLink={onLink} onClose={() => setInviting(false)} />}
      {link !== undefined && (
        <SecretModal
          title={t('users.link.title')}
          hint={t('users.link.hint')}
          secret={link}
          onClose={() => setLink(undefined)}
        />
      )}
    </>
  );
}

function InviteModal({ onLink, onClose }: { onLink: (link: string) => void; onClose: () => void }) {
  const { t } = useTranslation();
  const invite = useInviteUser();
  const start = { role: 'viewer', groups: {} } as const;
  return (
    <FormModal
      title={t('users.invite')}
      submit={t('users.makeLink')}
      state={invite}
      onSubmit={(form) => invite.mutate(rolesOf(form, start), { onSuccess: ({ link }) => onLink(link) })}
      onClose={onClose}
    >
      <Text size="sm">{t('users.inviteHint')}</Text>
      <RoleFields roles={start} />
    </FormModal>
  );
}

function useColumns(onLink: (link: string) => void): Column<User>[] {
  const { t } = useTranslation();
  const { instant } = useFormat();
  return [
    { key: 'name', title: t('users.name'), cell: (user) => <NameCell user={user} /> },
    { key: 'role', title: t('users.role'), cell: (user) => <RolesText roles={user} /> },
    {
      key: 'factor',
      title: t('users.secondFactor'),
      isExtra: true,
      cell: ({ secondFactor }) => t(secondFactor ? 'users.on' : 'users.off'),
    },
    {
      key: 'signedIn',
      title: t('users.lastSignIn'),
      isExtra: true,
      cell: ({ dateLastSignIn }) => (dateLastSignIn === null ? t('users.never') : instant(dateLastSignIn)),
    },
    { key: 'menu', title: '', cell: (user) => <UserMenu user={user} onLink={onLink} /> },
  ];
}

function NameCell({ user: { name, email, enabled } }: { user: User }) {
  const { t } = useTranslation();
  return (
    <>
      <Text size="sm" className="foreign" fw={500}>
        {name}
      </Text>
      <Text size="xs" c="dimmed" className="foreign">
        {email}
      </Text>
      {!enabled && (
        <Badge variant="dot" color="gray">
          {t('users.disabled')}
        </Badge>
      )}
    </>
  );
}
