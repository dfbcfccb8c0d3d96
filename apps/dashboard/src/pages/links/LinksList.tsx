import { Group, NativeSelect, Pagination, Paper } from '@mantine/core';
import type { components } from '@hopcount/client';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import { BulkReport } from '../../features/bulk/BulkReport.js';
import { useBulk } from '../../features/bulk/use-bulk.js';
import { LinksTable } from '../../features/links/LinksTable.js';
import { type LinksAsked, type ShortUrl, useLinks } from '../../features/links/links.js';
import { mayWriteTo } from '../../features/session/roles.js';
import { useUser } from '../../features/session/session.js';
import { Answer } from '../../ui/Answer.js';
import { lazyPart } from '../../ui/lazy-part.js';
import { NoRows } from '../../ui/NoRows.js';
import { useFormat } from '../../ui/use-format.js';
import { type LinksSearch, PAGE_SIZES } from './route.js';

/** Its fields bring along what places menus: 40 KB for who selects links. */
const BulkBar = lazyPart(() => import('../../features/bulk/BulkBar.js'), 'BulkBar');

interface Props {
  asked: LinksAsked;
  onChange: (change: LinksSearch) => void;
}

/** The table, and what is done with those of its links that are selected. */
export function LinksList({ asked, onChange }: Props) {
  const { t } = useTranslation();
  const query = useLinks(asked);
  const bulk = useBulk();
  const { selected, selection, clear } = useSelection(query.data?.shortUrls.data ?? []);
  const { order, search, tag, group, state } = asked;
  const isFiltered = search !== '' || [tag, group, state].some((filter) => filter !== undefined);
  const isBusy = bulk.run?.isRunning === true;
  return (
    <>
      {bulk.run !== undefined && <BulkReport run={bulk.run} bulk={bulk} />}
      {selected.length > 0 && !isBusy && (
        <BulkBar selected={selected.length} onAction={(action) => bulk.apply(action, selected)} onClear={clear} />
      )}
      <Paper withBorder>
        <Answer query={query} height={480}>
          {({ shortUrls: { data, pagination } }) =>
            data.length === 0 ? (
              <NoRows query={query} pagination={pagination}>
                {t(isFiltered ? 'links.noneFound' : 'links.none')}
              </NoRows>
            ) : (
              <>
                <LinksTable
                  links={data}
                  order={order}
                  onOrder={(field) => onChange({ order: field })}
                  onTag={(name) => onChange({ tag: name })}
                  selection={data.some(selection.canSelect) ? selection : undefined}
                />
                <Pages pagination={pagination} size={asked.size} onChange={onChange} />
              </>
            )
          }
        </Answer>
      </Paper>
    </>
  );
}

/** Of what is shown only: nothing is changed that nobody sees. */
function useSelection(links: readonly ShortUrl[]) {
  const { t } = useTranslation();
  const user = useUser();
  const canSelect = ({ groupId }: ShortUrl) => mayWriteTo(user, groupId);
  const [ids, setIds] = useState<ReadonlySet<string>>(new Set());
  const onSelect = (rows: readonly ShortUrl[], isSelected: boolean) => {
    const changed = new Set(ids);
    for (const { id } of rows)
      if (isSelected) changed.add(id);
      else changed.delete(id);
    setIds(changed);
  };
  return {
    selected: links.filter((link) => ids.has(link.id) && canSelect(link)),
    clear: () => setIds(new Set()),
    selection: {
      has: ({ id }: ShortUrl) => ids.has(id),
      canSelect,
      onSelect,
      nameOf: ({ shortUrl }: ShortUrl) => t('bulk.select', { link: shortUrl }),
      nameOfAll: t('bulk.selectAll'),
    },
  };
}

interface PagesProps {
  pagination: components['schemas']['Pagination'];
  size: number;
  onChange: (change: LinksSearch) => void;
}

function Pages({ pagination, size, onChange }: PagesProps) {
  const { t } = useTranslation();
  const { count } = useFormat();
  const { currentPage, pagesCount, totalItems, totalItemsIsLowerBound } = pagination;
  return (
    <Group justify="space-between" p="sm" c="dimmed" fz="sm">
      <span>
        {t('links.count', { count: totalItems, number: count(totalItems) })}
        {totalItemsIsLowerBound === true && '+'}
      </span>
      <Group gap="sm">
        {totalItems > PAGE_SIZES[0] && (
          <NativeSelect
            size="xs"
            aria-label={t('links.pageSize')}
            value={String(size)}
            onChange={({ currentTarget }) => onChange({ size: Number(currentTarget.value) })}
            data={PAGE_SIZES.map((one) => ({ value: String(one), label: t('links.onAPage', { number: count(one) }) }))}
          />
        )}
        {pagesCount > 1 && (
          <Pagination
            size="sm"
            total={pagesCount}
            value={currentPage}
            onChange={(page) => onChange({ page })}
            getControlProps={(control) => ({ 'aria-label': t(`common.page.${control}`) })}
          />
        )}
      </Group>
    </Group>
  );
}
