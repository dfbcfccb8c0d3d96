import { Group, Button, Text } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import { useRemark } from '../../features/administration/use-remark.js';
import { Answer } from '../../ui/Answer.js';
import { type Column, DataTable } from '../../ui/DataTable.js';
import { EmptyState } from '../../ui/EmptyState.js';
import { Panel } from '../../ui/Panel.js';
import { useFormat } from '../../ui/use-format.js';
import { AddBlockModal } from './AddBlockModal.js';
import { type AbuseReport, useDismissReport, useReports } from './blocks.js';

/** What visitors said of links. Nobody is sent to where one leads by a click here: its address is text. */
export function ReportsPanel() {
  const { t } = useTranslation();
  const { count } = useFormat();
  const [blocking, block] = useState<AbuseReport>();
  const columns = useColumns(block);
  return (
    <Panel title={t('blocks.reports.title')}>
      <Answer query={useReports()} height={80}>
        {({ abuseReports: { data, pagination } }) =>
          data.length === 0 ? (
            <EmptyState>{t('blocks.reports.none')}</EmptyState>
          ) : (
            <>
              <DataTable label={t('blocks.reports.title')} columns={columns} rows={data} keyOf={({ id }) => id} />
              {pagination.totalItems > data.length && (
                <Text size="xs" c="dimmed" mt="xs">
                  {t('blocks.reports.newest', { shown: count(data.length), all: count(pagination.totalItems) })}
                </Text>
              )}
            </>
          )
        }
      </Answer>
      {blocking !== undefined && (
        <AddBlockModal
          start={{ kind: 'link', value: blocking.shortUrl, reason: t(`blocks.reports.cause.${blocking.cause}`) }}
          onClose={() => block(undefined)}
        />
      )}
    </Panel>
  );
}

function useColumns(onBlock: (report: AbuseReport) => void): Column<AbuseReport>[] {
  const { t } = useTranslation();
  const { count, instant } = useFormat();
  return [
    { key: 'link', title: t('blocks.reports.link'), cell: (report) => <LinkCell report={report} /> },
    { key: 'cause', title: t('blocks.reports.cause.title'), cell: ({ cause }) => t(`blocks.reports.cause.${cause}`) },
    { key: 'times', title: t('blocks.reports.times'), isNumeric: true, cell: ({ reports }) => count(reports) },
    { key: 'last', title: t('blocks.reports.last'), isExtra: true, cell: ({ lastAt }) => instant(lastAt) },
    { key: 'actions', title: '', cell: (report) => <ReportActions report={report} onBlock={onBlock} /> },
  ];
}

function LinkCell({ report: { shortUrl, longUrl } }: { report: AbuseReport }) {
  const { t } = useTranslation();
  return (
    <>
      <Text size="sm" className="foreign" fw={500}>
        {shortUrl}
      </Text>
      <Text size="xs" c="dimmed" className="foreign">
        {longUrl ?? t('blocks.reports.deleted')}
      </Text>
    </>
  );
}

function ReportActions({ report, onBlock }: { report: AbuseReport; onBlock: (report: AbuseReport) => void }) {
  const { t } = useTranslation();
  const onError = useRemark();
  const dismiss = useDismissReport();
  return (
    <Group gap="xs" justify="flex-end">
      <Button size="compact-sm" variant="default" onClick={() => onBlock(report)}>
        {t('blocks.reports.block')}
      </Button>
      <Button size="compact-sm" variant="default" onClick={() => dismiss.mutate(report, { onError })}>
        {t('blocks.reports.dismiss')}
      </Button>
    </Group>
  );
}
