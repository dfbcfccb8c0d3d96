import { Button, Text } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import { Answer } from '../../ui/Answer.js';
import { type Column, DataTable } from '../../ui/DataTable.js';
import { NoRows } from '../../ui/NoRows.js';
import { FormModal } from '../../ui/FormModal.js';
import { Panel } from '../../ui/Panel.js';
import { Pages, usePage } from '../../ui/Pages.js';
import { useFormat } from '../../ui/use-format.js';
import { type ShareLink, useRevokeShareLink, useShareLinks } from './sharing.js';

/** What is open to others, and until when. */
export function ShareLinksPanel() {
  const { t } = useTranslation();
  const { instant } = useFormat();
  const query = useShareLinks(usePage());
  const columns: Column<ShareLink>[] = [
    { key: 'name', title: t('sharing.name'), cell: (shareLink) => <NameCell shareLink={shareLink} /> },
    { key: 'by', title: t('sharing.by'), isExtra: true, cell: ({ createdBy }) => <bdi>{createdBy.name}</bdi> },
    { key: 'until', title: t('sharing.until'), cell: ({ dateExpires }) => instant(dateExpires) },
    { key: 'revoke', title: '', cell: (shareLink) => <RevokeButton shareLink={shareLink} /> },
  ];
  return (
    <Panel title={t('sharing.title')}>
      <Text size="sm" mb="xs">
        {t('sharing.list')}
      </Text>
      <Answer query={query} height={80}>
        {({ shareLinks: { data, pagination } }) =>
          data.length === 0 ? (
            <NoRows query={query} pagination={pagination}>
              {t('sharing.none')}
            </NoRows>
          ) : (
            <>
              <DataTable label={t('sharing.title')} columns={columns} rows={data} keyOf={({ id }) => String(id)} />
              <Pages pagination={pagination} />
            </>
          )
        }
      </Answer>
    </Panel>
  );
}

function NameCell({ shareLink: { name, view } }: { shareLink: ShareLink }) {
  const { t } = useTranslation();
  const { domain, shortCode, tag, group, filters } = view;
  const scope = [domain, shortCode, tag, group].filter((one) => one !== null);
  return (
    <>
      <Text size="sm" className="foreign" fw={500}>
        {name}
      </Text>
      <Text size="xs" c="dimmed" className="foreign">
        {[...(scope.length === 0 ? [t('sharing.all')] : scope), ...filters].join(' · ')}
      </Text>
    </>
  );
}

function RevokeButton({ shareLink }: { shareLink: ShareLink }) {
  const { t } = useTranslation();
  const [isAsking, setAsking] = useState(false);
  const revoke = useRevokeShareLink();
  const close = () => setAsking(false);
  const title = t('sharing.revokeOf', { name: shareLink.name });
  return (
    <>
      <Button size="compact-sm" variant="default" aria-label={title} onClick={() => setAsking(true)}>
        {t('sharing.revoke')}
      </Button>
      {isAsking && (
        <FormModal
          title={title}
          submit={t('sharing.revoke')}
          isDangerous
          state={revoke}
          onSubmit={() => revoke.mutate(shareLink, { onSuccess: close })}
          onClose={close}
        >
          <Text size="sm">{t('sharing.revokeHint')}</Text>
        </FormModal>
      )}
    </>
  );
}
