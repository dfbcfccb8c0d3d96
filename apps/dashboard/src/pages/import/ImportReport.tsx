import { Alert, Button, Group, Paper, Progress, SimpleGrid, Stack, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';

import { BASE_PATH } from '../../app/base-path.js';
import { useRemark } from '../../features/administration/use-remark.js';
import { mayWriteEverything } from '../../features/session/roles.js';
import { useUser } from '../../features/session/session.js';
import { type Column, DataTable } from '../../ui/DataTable.js';
import { Panel } from '../../ui/Panel.js';
import { useFormat } from '../../ui/use-format.js';
import { type Import, isGoingOn, useEndImport } from './imports.js';

type Skip = Import['skips'][number];
const NUMBERS = ['rows', 'created', 'updated', 'unchanged', 'refused'] as const;

/** How far an import is; what it took, and each row that it did not. */
export function ImportReport({ found }: { found: Import }) {
  const { t } = useTranslation();
  return (
    <Stack>
      <Paper withBorder p="md">
        <Group justify="space-between" mb="sm" gap="xs">
          <Text fw={600} role="status">
            {t(`imports.state.${found.state}`)}
          </Text>
          <Actions found={found} />
        </Group>
        {isGoingOn(found) && <Progress value={100} animated mb="md" aria-label={t(`imports.state.${found.state}`)} />}
        <Numbers found={found} />
        {found.failure !== null && (
          <Alert color="red" mt="md">
            {found.failure}
          </Alert>
        )}
      </Paper>
      {found.skips.length > 0 && <Skips found={found} />}
    </Stack>
  );
}

function Actions({ found }: { found: Import }) {
  const { t } = useTranslation();
  const remark = useRemark();
  const end = useEndImport();
  const canWrite = mayWriteEverything(useUser());
  if (!isGoingOn(found)) {
    return (
      <Group gap="xs">
        {canWrite && (
          <Button component={Link} to="/import" size="compact-sm" variant="default">
            {t('imports.another')}
          </Button>
        )}
        <Button component={Link} to="/links" size="compact-sm" variant="light">
          {t('imports.toLinks')}
        </Button>
      </Group>
    );
  }
  if (!canWrite) return null;
  return (
    <Button
      size="compact-sm"
      variant="default"
      loading={end.isPending}
      onClick={() => end.mutate(found.id, { onError: remark })}
    >
      {t('imports.end')}
    </Button>
  );
}

function Numbers({ found }: { found: Import }) {
  const { t } = useTranslation();
  const { count } = useFormat();
  return (
    <SimpleGrid cols={{ base: 2, sm: 3, md: 6 }} component="dl" m={0}>
      {NUMBERS.map((name) => (
        <div key={name}>
          <Text component="dt" size="sm" c="dimmed">
            {t(`imports.numbers.${name}`)}
          </Text>
          <Text component="dd" m={0} fw={600} data-import={name}>
            {count(found[name])}
          </Text>
        </div>
      ))}
    </SimpleGrid>
  );
}

function Skips({ found: { id, skips, reasons } }: { found: Import }) {
  const { t } = useTranslation();
  const { count } = useFormat();
  const columns: Column<Skip>[] = [
    {
      key: 'line',
      title: t('imports.line'),
      isNumeric: true,
      cell: ({ line, row }) => (row === 0 ? '' : count(line ?? row)),
    },
    { key: 'field', title: t('imports.field'), cell: ({ field }) => field },
    {
      key: 'detail',
      title: t('imports.why'),
      cell: ({ detail, reason }) => (
        <>
          <Text size="sm" className="foreign">
            {detail}
          </Text>
          <Text size="xs" c="dimmed">
            {reason}
          </Text>
        </>
      ),
    },
  ];
  const all = Object.values(reasons).reduce((sum, number) => sum + number, 0);
  return (
    <Panel title={t('imports.skips')}>
      <Group justify="space-between" mb="xs" gap="xs">
        <Text size="sm" c="dimmed">
          {all > skips.length && t('imports.firstSkips', { shown: count(skips.length), all: count(all) })}
        </Text>
        <Button component="a" href={`${BASE_PATH}/rest/v3/imports/${id}/report`} size="compact-sm" variant="default">
          {t('imports.report')}
        </Button>
      </Group>
      <DataTable
        label={t('imports.skips')}
        columns={columns}
        rows={skips}
        keyOf={({ row, field, reason, detail }) => `${row} ${field} ${reason} ${detail}`}
      />
    </Panel>
  );
}
