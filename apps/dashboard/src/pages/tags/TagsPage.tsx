import { Anchor, Paper } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';

import { mayWriteEverything } from '../../features/session/roles.js';
import { useUser } from '../../features/session/session.js';
import { Answer } from '../../ui/Answer.js';
import { type Column, DataTable } from '../../ui/DataTable.js';
import { NoRows } from '../../ui/NoRows.js';
import { PageHeader } from '../../ui/PageHeader.js';
import { Pages, usePage } from '../../ui/Pages.js';
import { useFormat } from '../../ui/use-format.js';
import { TagMenu } from './TagMenu.js';
import { type TagStats, useTagStats } from './tags.js';

/** @public */
export function TagsPage() {
  const { t } = useTranslation();
  const { count } = useFormat();
  const query = useTagStats(usePage());
  const canWrite = mayWriteEverything(useUser());
  const columns: Column<TagStats>[] = [
    {
      key: 'tag',
      title: t('links.tag'),
      cell: ({ tag }) => <TagLink tag={tag} />,
    },
    {
      key: 'links',
      title: t('common.navigation.links'),
      isNumeric: true,
      cell: ({ shortUrlsCount }) => count(shortUrlsCount),
    },
    {
      key: 'visits',
      title: t('statistics.visits'),
      isNumeric: true,
      cell: ({ visitsSummary }) => count(visitsSummary.total),
    },
    ...(canWrite ? [{ key: 'menu', title: '', cell: ({ tag }: TagStats) => <TagMenu tag={tag} /> }] : []),
  ];
  return (
    <>
      <PageHeader title={t('tags.title')} subtitle={t('tags.about')} />
      <Paper withBorder>
        <Answer query={query}>
          {({ tags: { data, pagination } }) =>
            data.length === 0 ? (
              <NoRows query={query} pagination={pagination}>
                {t('tags.none')}
              </NoRows>
            ) : (
              <>
                <DataTable label={t('tags.title')} columns={columns} rows={data} keyOf={({ tag }) => tag} />
                <Pages pagination={pagination} />
              </>
            )
          }
        </Answer>
      </Paper>
    </>
  );
}

/** To the links that have it. */
function TagLink({ tag }: { tag: string }) {
  return (
    <Anchor
      className="foreign"
      size="sm"
      fw={500}
      renderRoot={(props) => <Link to="/links" search={{ tag }} {...props} />}
    >
      {tag}
    </Anchor>
  );
}
