import { Button } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import { useRemark } from '../../features/administration/use-remark.js';
import { Answer } from '../../ui/Answer.js';
import { type Column, DataTable } from '../../ui/DataTable.js';
import { EmptyState } from '../../ui/EmptyState.js';
import { Panel } from '../../ui/Panel.js';
import { useFormat } from '../../ui/use-format.js';
import { RolesText } from './RolesText.js';
import { type OpenInvite, useInvites, useWithdrawInvite } from './users.js';

/** Links that nobody has used yet. A withdrawn one is made again, so nothing asks twice. */
export function InvitesPanel() {
  const { t } = useTranslation();
  const { instant } = useFormat();
  const onError = useRemark();
  const withdraw = useWithdrawInvite();
  const columns: Column<OpenInvite>[] = [
    {
      key: 'for',
      title: t('users.invites.for'),
      cell: (invite) =>
        invite.email === null ? <RolesText roles={invite} /> : t('users.invites.password', { email: invite.email }),
    },
    {
      key: 'by',
      title: t('users.invites.by'),
      isExtra: true,
      cell: ({ createdBy }) => <bdi>{createdBy?.name ?? t('users.invites.command')}</bdi>,
    },
    { key: 'ends', title: t('users.invites.ends'), cell: ({ dateExpires }) => instant(dateExpires) },
    {
      key: 'withdraw',
      title: '',
      cell: (invite) => (
        <Button size="compact-sm" variant="default" onClick={() => withdraw.mutate(invite, { onError })}>
          {t('users.invites.withdraw')}
        </Button>
      ),
    },
  ];
  return (
    <Panel title={t('users.invites.title')}>
      <Answer query={useInvites()} height={80}>
        {({ invites: { data } }) =>
          data.length === 0 ? (
            <EmptyState>{t('users.invites.none')}</EmptyState>
          ) : (
            <DataTable label={t('users.invites.title')} columns={columns} rows={data} keyOf={({ id }) => String(id)} />
          )
        }
      </Answer>
    </Panel>
  );
}
