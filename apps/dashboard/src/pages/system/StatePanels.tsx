import { Link } from '@tanstack/react-router';
import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';

import { Answer } from '../../ui/Answer.js';
import { DataTable } from '../../ui/DataTable.js';
import { EmptyState } from '../../ui/EmptyState.js';
import { Panel } from '../../ui/Panel.js';
import { useFormat } from '../../ui/use-format.js';
import { type System, useArchiveFiles, useAuditMinutes } from './system.js';

/** Rows, or that there are none, or that nobody knows. */
function Rows({
  known,
  rows,
  none,
  children,
}: {
  known: boolean;
  rows: readonly unknown[];
  none: string;
  children: ReactNode;
}) {
  const { t } = useTranslation();
  if (!known) return <EmptyState>{t('system.unknown')}</EmptyState>;
  return rows.length === 0 ? <EmptyState>{none}</EmptyState> : children;
}

export function PartitionsPanel({ system: { counting } }: { system: System }) {
  const { t } = useTranslation();
  const { count } = useFormat();
  const rows = counting?.partitions ?? [];
  const title = t('system.partitions.title');
  return (
    <Panel title={title}>
      <Rows known={counting !== null} rows={rows} none={t('system.partitions.none')}>
        <DataTable
          label={title}
          rows={rows}
          keyOf={({ partition }) => String(partition)}
          columns={[
            { key: 'partition', title: t('system.partitions.partition'), cell: ({ partition }) => partition },
            {
              key: 'pending',
              title: t('system.partitions.pending'),
              isNumeric: true,
              cell: ({ pending }) => count(pending),
            },
            { key: 'lost', title: t('system.partitions.lost'), isNumeric: true, cell: ({ lost }) => count(lost) },
            {
              key: 'checkpoint',
              title: t('system.partitions.checkpoint'),
              isNumeric: true,
              isExtra: true,
              cell: ({ checkpoint }) => checkpoint ?? '–',
            },
            {
              key: 'end',
              title: t('system.partitions.end'),
              isNumeric: true,
              isExtra: true,
              cell: ({ logEnd }) => logEnd,
            },
          ]}
        />
      </Rows>
    </Panel>
  );
}

export function MinutesPanel() {
  const { t } = useTranslation();
  const { count, instant } = useFormat();
  const query = useAuditMinutes();
  const title = t('system.minutes.title');
  return (
    <Panel title={title}>
      <Answer query={query}>
        {({ auditMinutes: { data } }) => (
          <Rows known rows={data} none={t('system.minutes.none')}>
            <DataTable
              label={title}
              rows={data}
              keyOf={({ minute, source }) => `${minute} ${source}`}
              columns={[
                { key: 'minute', title: t('system.minutes.minute'), cell: ({ minute }) => instant(minute) },
                {
                  key: 'status',
                  title: t('system.minutes.status'),
                  cell: ({ status }) => t(`system.minutes.states.${status}`),
                },
                {
                  key: 'missing',
                  title: t('system.minutes.missing'),
                  isNumeric: true,
                  cell: ({ missing }) => count(missing),
                },
                {
                  key: 'reported',
                  title: t('system.minutes.reported'),
                  isNumeric: true,
                  cell: ({ reported }) => count(reported),
                },
                { key: 'source', title: t('system.minutes.source'), isExtra: true, cell: ({ source }) => source },
              ]}
            />
          </Rows>
        )}
      </Answer>
    </Panel>
  );
}

export function FilesPanel() {
  const { t } = useTranslation();
  const { count, instant } = useFormat();
  const query = useArchiveFiles();
  const title = t('system.files.title');
  return (
    <Panel title={title}>
      <Answer query={query}>
        {({ archiveFiles: { data } }) => (
          <Rows known rows={data} none={t('system.files.none')}>
            <DataTable
              label={title}
              rows={data}
              keyOf={({ id }) => id}
              columns={[
                { key: 'from', title: t('system.files.from'), cell: ({ from }) => instant(from) },
                { key: 'level', title: t('system.files.level'), cell: ({ level }) => <Level level={level} /> },
                {
                  key: 'state',
                  title: t('system.files.state'),
                  cell: ({ state }) => t(`system.files.states.${state}`),
                },
                {
                  key: 'visits',
                  title: t('system.files.visits'),
                  isNumeric: true,
                  cell: ({ visits }) => count(visits),
                },
                {
                  key: 'bytes',
                  title: t('system.files.bytes'),
                  isNumeric: true,
                  isExtra: true,
                  cell: ({ bytes }) => count(bytes),
                },
              ]}
            />
          </Rows>
        )}
      </Answer>
    </Panel>
  );
}

const LEVELS = ['hour', 'day', 'month'] as const;

/** A newer api may have other ones. */
function Level({ level }: { level: string }) {
  const { t } = useTranslation();
  const known = LEVELS.find((one) => one === level);
  return known === undefined ? level : t(`system.files.levels.${known}`);
}

export function HeatPanel({ system: { heat } }: { system: System }) {
  const { t } = useTranslation();
  const { count } = useFormat();
  const rows = heat?.links ?? [];
  const title = t('system.heat.title');
  return (
    <Panel title={title}>
      <Rows known={heat !== null} rows={rows} none={t('system.heat.none')}>
        <DataTable
          label={title}
          rows={rows}
          keyOf={({ domain, shortCode }) => `${domain}/${shortCode}`}
          columns={[
            {
              key: 'link',
              title: t('system.heat.link'),
              cell: ({ domain, shortCode }) => (
                <Link to="/links" search={{ search: shortCode }}>
                  {domain}/{shortCode}
                </Link>
              ),
            },
            { key: 'visits', title: t('system.heat.visits'), isNumeric: true, cell: ({ visits }) => count(visits) },
            { key: 'slots', title: t('system.heat.slots'), isNumeric: true, cell: ({ slots }) => count(slots) },
          ]}
        />
      </Rows>
    </Panel>
  );
}

export function GatewaysPanel({ system: { gateways } }: { system: System }) {
  const { t } = useTranslation();
  const { count } = useFormat();
  const rows = gateways ?? [];
  const title = t('system.gateways.title');
  return (
    <Panel title={title}>
      <Rows known={gateways !== null} rows={rows} none={t('system.gateways.none')}>
        <DataTable
          label={title}
          rows={rows}
          keyOf={({ name }) => name}
          columns={[
            { key: 'name', title: t('system.gateways.name'), cell: ({ name }) => name },
            { key: 'version', title: t('system.gateways.version'), cell: ({ version }) => version ?? '–' },
            {
              key: 'spooled',
              title: t('system.gateways.spooled'),
              isNumeric: true,
              cell: ({ spooledVisits }) => count(spooledVisits),
            },
            {
              key: 'silent',
              title: t('system.gateways.silent'),
              isNumeric: true,
              isExtra: true,
              cell: ({ silentSeconds }) => count(Math.round(silentSeconds)),
            },
          ]}
        />
      </Rows>
    </Panel>
  );
}

export function ProcessesPanel({ system: { processes } }: { system: System }) {
  const { t } = useTranslation();
  const { count } = useFormat();
  const rows = processes ?? [];
  const title = t('system.processes.title');
  return (
    <Panel title={title}>
      <Rows known={processes !== null} rows={rows} none={t('system.unknown')}>
        <DataTable
          label={title}
          rows={rows}
          keyOf={({ name }) => name}
          columns={[
            { key: 'name', title: t('system.processes.name'), cell: ({ name }) => name },
            {
              key: 'count',
              title: t('system.processes.connections'),
              isNumeric: true,
              cell: ({ connections }) => count(connections),
            },
            {
              key: 'silent',
              title: t('system.processes.silent'),
              isNumeric: true,
              cell: ({ silentSeconds }) => count(silentSeconds === null ? null : Math.round(silentSeconds)),
            },
          ]}
        />
      </Rows>
      <Text size="xs" c="dimmed" mt="xs">
        {t('system.processes.hint')}
      </Text>
    </Panel>
  );
}
