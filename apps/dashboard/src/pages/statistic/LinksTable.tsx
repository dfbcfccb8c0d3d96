import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';

import { ExplainButton } from '../../features/evidence/ExplainButton.js';
import { ofLink } from '../../features/evidence/explained.js';
import { useVisitedLinks } from '../../features/statistics/queries.js';
import { useView } from '../../features/view/use-view.js';
import { DataTable } from '../../ui/DataTable.js';
import { usePage } from '../../ui/Pages.js';
import { useFormat } from '../../ui/use-format.js';
import { CountedRows } from './CountedRows.js';
import { ROWS_PER_PAGE } from './rows-per-page.js';

/** Every short URL that was visited in the range. */
export function LinksTable({ title }: { title: string }) {
  const { t } = useTranslation();
  const { count } = useFormat();
  const { question } = useView();
  const query = useVisitedLinks(question, { itemsPerPage: ROWS_PER_PAGE, page: usePage(), uniques: 'all' });
  return (
    <CountedRows query={query} pageOf={({ links }) => links}>
      {({ links }) => (
        <DataTable
          label={title}
          rows={links.data.map((link, index) => ({ ...link, key: link.shortUrl ?? `deleted-${index}` }))}
          keyOf={({ key }) => key}
          columns={[
            {
              key: 'link',
              title: t('links.shortUrl'),
              cell: ({ shortCode, shortUrl, domain }) =>
                shortCode === null ? (
                  t('statistics.deletedLink')
                ) : (
                  <Link
                    to="/links/$code"
                    params={{ code: shortCode }}
                    search={domain === null ? {} : { domain }}
                    className="foreign"
                  >
                    {shortUrl?.replace(/^https?:\/\//, '') ?? shortCode}
                  </Link>
                ),
            },
            {
              ...{ key: 'visits', title: t('statistics.visits'), isNumeric: true },
              cell: ({ shortCode, domain, visits }) =>
                shortCode === null ? (
                  count(visits)
                ) : (
                  <ExplainButton explained={ofLink(shortCode, domain)}>{count(visits)}</ExplainButton>
                ),
            },
            ...(['visitors', 'ips'] as const).map((key) => ({
              ...{ key, title: t(`statistics.${key}`), isNumeric: true, isExtra: key === 'ips' },
              cell: (row: Partial<Record<typeof key, number>>) => count(row[key]),
            })),
          ]}
        />
      )}
    </CountedRows>
  );
}
