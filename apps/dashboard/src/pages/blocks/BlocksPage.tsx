import { Badge, Button, Group, NativeSelect, Paper, Stack, Text } from '@mantine/core';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import { Answer } from '../../ui/Answer.js';
import { type Column, DataTable } from '../../ui/DataTable.js';
import { NoRows } from '../../ui/NoRows.js';
import { FormModal } from '../../ui/FormModal.js';
import { PageHeader } from '../../ui/PageHeader.js';
import { Pages, usePage } from '../../ui/Pages.js';
import { SearchField } from '../../ui/SearchField.js';
import { useFormat } from '../../ui/use-format.js';
import { AddBlockModal } from './AddBlockModal.js';
import { type Block, KINDS, useBlocks, useRemoveBlock } from './blocks.js';
import { ReportsPanel } from './ReportsPanel.js';

/** @public */
export function BlocksPage() {
  const { t } = useTranslation();
  const [isAdding, setAdding] = useState(false);
  return (
    <>
      <PageHeader title={t('blocks.title')} subtitle={t('blocks.about')}>
        <Button onClick={() => setAdding(true)}>{t('blocks.add')}</Button>
      </PageHeader>
      <Stack>
        <Filters />
        <BlocksList />
        <ReportsPanel />
      </Stack>
      {isAdding && <AddBlockModal onClose={() => setAdding(false)} />}
    </>
  );
}

function Filters() {
  const { t } = useTranslation();
  const { kind, search = '' } = useSearch({ from: '/signed-in/administration/blocks' });
  const navigate = useNavigate({ from: '/blocks' });
  return (
    <Group gap="xs">
      <SearchField
        label={t('blocks.search')}
        value={search}
        onChange={(text) =>
          void navigate({ search: (before) => ({ ...before, page: undefined, search: text }), replace: true })
        }
      />
      <NativeSelect
        aria-label={t('blocks.kind.title')}
        value={kind ?? ''}
        onChange={({ currentTarget: { value } }) =>
          void navigate({
            search: (before) => ({ ...before, page: undefined, kind: KINDS.find((one) => one === value) }),
          })
        }
        data={[
          { value: '', label: t('blocks.kind.any') },
          ...KINDS.map((value) => ({ value, label: t(`blocks.kind.${value}`) })),
        ]}
      />
    </Group>
  );
}

function BlocksList() {
  const { t } = useTranslation();
  const { kind, search } = useSearch({ from: '/signed-in/administration/blocks' });
  const asked = { ...(kind !== undefined && { kind }), ...(search !== undefined && { search }), page: usePage() };
  const query = useBlocks(asked);
  const columns = useColumns();
  return (
    <Paper withBorder>
      <Answer query={query}>
        {({ blocks: { data, pagination } }) =>
          data.length === 0 ? (
            <NoRows query={query} pagination={pagination}>
              {t(kind === undefined && search === undefined ? 'blocks.none' : 'blocks.noneFound')}
            </NoRows>
          ) : (
            <>
              <DataTable label={t('blocks.title')} columns={columns} rows={data} keyOf={({ id }) => id} />
              <Pages pagination={pagination} />
            </>
          )
        }
      </Answer>
    </Paper>
  );
}

function useColumns(): Column<Block>[] {
  const { t } = useTranslation();
  const { instant } = useFormat();
  return [
    { key: 'value', title: t('blocks.value'), cell: (block) => <ValueCell block={block} /> },
    {
      key: 'action',
      title: t('blocks.action.title'),
      cell: ({ action }) => (
        <Badge variant="dot" color={action === 'block' ? 'red' : 'orange'}>
          {t(`blocks.action.${action}`)}
        </Badge>
      ),
    },
    {
      key: 'reason',
      title: t('blocks.reason'),
      isExtra: true,
      cell: ({ reason }) => <span className="foreign">{reason}</span>,
    },
    { key: 'since', title: t('blocks.since'), isExtra: true, cell: ({ createdAt }) => instant(createdAt) },
    { key: 'remove', title: '', cell: (block) => <RemoveButton block={block} /> },
  ];
}

function ValueCell({ block: { kind, value } }: { block: Block }) {
  const { t } = useTranslation();
  return (
    <>
      <Text size="sm" className="foreign" fw={500}>
        {value}
      </Text>
      <Text size="xs" c="dimmed">
        {t(`blocks.kind.${kind}`)}
      </Text>
    </>
  );
}

function RemoveButton({ block }: { block: Block }) {
  const { t } = useTranslation();
  const [isAsking, setAsking] = useState(false);
  const remove = useRemoveBlock();
  const close = () => setAsking(false);
  return (
    <>
      <Button
        size="compact-sm"
        variant="default"
        aria-label={t('blocks.removeOf', { value: block.value })}
        onClick={() => setAsking(true)}
      >
        {t('blocks.remove')}
      </Button>
      {isAsking && (
        <FormModal
          title={t('blocks.removeOf', { value: block.value })}
          submit={t('blocks.remove')}
          isDangerous
          state={remove}
          onSubmit={() => remove.mutate(block, { onSuccess: close })}
          onClose={close}
        >
          <Text size="sm">{t('blocks.removeHint')}</Text>
        </FormModal>
      )}
    </>
  );
}
