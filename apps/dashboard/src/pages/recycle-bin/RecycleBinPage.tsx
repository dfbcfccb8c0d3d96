import { Button, Group, Paper, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import { useRemark } from '../../features/administration/use-remark.js';
import { mayPurge, mayWrite, mayWriteTo } from '../../features/session/roles.js';
import { useUser } from '../../features/session/session.js';
import { Answer } from '../../ui/Answer.js';
import { type Column, DataTable } from '../../ui/DataTable.js';
import { NoRows } from '../../ui/NoRows.js';
import { PageHeader } from '../../ui/PageHeader.js';
import { Pages, usePage } from '../../ui/Pages.js';
import { useFormat } from '../../ui/use-format.js';
import { type DeletedLink, useDeletedLinks, useRestore } from './deleted-links.js';
import { PurgeModal } from './PurgeModal.js';

/** @public */
export function RecycleBinPage() {
  const { t } = useTranslation();
  const { count, instant } = useFormat();
  const query = useDeletedLinks(usePage());
  const canWrite = mayWrite(useUser());
  const columns: Column<DeletedLink>[] = [
    { key: 'link', title: t('links.shortUrl'), cell: (link) => <LinkCell link={link} /> },
    {
      key: 'visits',
      title: t('statistics.visits'),
      isNumeric: true,
      isExtra: true,
      cell: ({ visitsSummary }) => count(visitsSummary.total),
    },
    {
      key: 'deleted',
      title: t('recycleBin.deleted'),
      isExtra: true,
      cell: ({ dateDeleted }) => instant(dateDeleted),
    },
    ...(canWrite ? [{ key: 'actions', title: '', cell: (link: DeletedLink) => <Actions link={link} /> }] : []),
  ];
  return (
    <>
      <PageHeader title={t('recycleBin.title')} subtitle={t('recycleBin.about')} />
      <Paper withBorder>
        <Answer query={query} height={300}>
          {({ shortUrls: { data, pagination } }) =>
            data.length === 0 ? (
              <NoRows query={query} pagination={pagination}>
                {t('recycleBin.none')}
              </NoRows>
            ) : (
              <>
                <DataTable label={t('recycleBin.title')} columns={columns} rows={data} keyOf={({ id }) => id} />
                <Pages pagination={pagination} />
              </>
            )
          }
        </Answer>
      </Paper>
    </>
  );
}

function Actions({ link }: { link: DeletedLink }) {
  const { t } = useTranslation();
  const user = useUser();
  const remark = useRemark();
  const restore = useRestore();
  const [isPurging, setPurging] = useState(false);
  const onSuccess = () => notifications.show({ message: t('recycleBin.restored', { link: link.shortUrl }) });
  return (
    <Group gap="xs" justify="flex-end" miw={{ base: 0, sm: 240 }}>
      {mayWriteTo(user, link.groupId) && (
        <Button
          size="compact-sm"
          variant="default"
          loading={restore.isPending}
          onClick={() => restore.mutate(link, { onSuccess, onError: remark })}
          aria-label={`${t('recycleBin.restore')} ${link.shortUrl}`}
        >
          {t('recycleBin.restore')}
        </Button>
      )}
      {mayPurge(user, link.groupId) && (
        <Button
          size="compact-sm"
          variant="subtle"
          color="red"
          onClick={() => setPurging(true)}
          aria-label={`${t('recycleBin.purge')} ${link.shortUrl}`}
        >
          {t('recycleBin.purge')}
        </Button>
      )}
      {isPurging && <PurgeModal link={link} onClose={() => setPurging(false)} />}
    </Group>
  );
}

function LinkCell({ link: { shortUrl, title, longUrl } }: { link: DeletedLink }) {
  return (
    <>
      <Text size="sm" fw={500} className="foreign">
        {shortUrl.replace(/^https?:\/\//, '')}
      </Text>
      {title !== null && (
        <Text size="sm" className="foreign" lineClamp={1}>
          {title}
        </Text>
      )}
      <Text size="xs" c="dimmed" className="foreign" lineClamp={1}>
        {longUrl}
      </Text>
    </>
  );
}
