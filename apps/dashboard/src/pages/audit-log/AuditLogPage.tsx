import { Button, Group, Paper, Stack, Text } from '@mantine/core';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import { BASE_PATH } from '../../app/base-path.js';
import { Answer } from '../../ui/Answer.js';
import { type Column, DataTable } from '../../ui/DataTable.js';
import { EmptyState } from '../../ui/EmptyState.js';
import { PageHeader } from '../../ui/PageHeader.js';
import { useFormat } from '../../ui/use-format.js';
import { type AuditEntry, useAuditLog } from './audit-log.js';
import { type AuditAsked, KINDS, parseAsked, toQuery } from './audit-query.js';
import { AuditFilters } from './AuditFilters.js';
import { EntryModal } from './EntryModal.js';

const CHANGES = [
  'create',
  'edit',
  'delete',
  'restore',
  'purge',
  'purge-visits',
  'tag',
  'untag',
  'revoke',
  'end',
] as const;

/** Who changed what, newest first; a page goes on behind an entry, whatever is added meanwhile. @public */
export function AuditLogPage() {
  const { t } = useTranslation();
  const asked = useSearch({
    from: '/signed-in/administration/audit-log',
    select: (search) => parseAsked({ ...search }),
  });
  const [opened, open] = useState<AuditEntry>();
  const columns = useColumns(open);
  return (
    <>
      <PageHeader title={t('auditLog.title')} subtitle={t('auditLog.about')}>
        <Exports asked={asked} />
      </PageHeader>
      <Stack>
        <AuditFilters asked={asked} />
        <Paper withBorder>
          <Answer query={useAuditLog(asked)} height={480}>
            {({ auditLog: { data, next } }) =>
              data.length === 0 ? (
                <EmptyState>{t('auditLog.none')}</EmptyState>
              ) : (
                <>
                  <DataTable label={t('auditLog.title')} columns={columns} rows={data} keyOf={({ id }) => id} />
                  <Steps isFirst={asked.after === undefined} next={next} />
                </>
              )
            }
          </Answer>
        </Paper>
      </Stack>
      {opened !== undefined && <EntryModal entry={opened} onClose={() => open(undefined)} />}
    </>
  );
}

/** All that is filtered for, from the first page on. */
function Exports({ asked }: { asked: AuditAsked }) {
  const { t } = useTranslation();
  const all = toQuery({ ...asked, after: undefined });
  return (['csv', 'jsonl'] as const).map((format) => (
    <Button
      key={format}
      component="a"
      variant="default"
      href={`${BASE_PATH}/rest/v3/exports/audit-log?${new URLSearchParams({ ...all, format }).toString()}`}
      download
    >
      {t('auditLog.export', { format: format.toUpperCase() })}
    </Button>
  ));
}

function Steps({ isFirst, next }: { isFirst: boolean; next: string | null }) {
  const { t } = useTranslation();
  const navigate = useNavigate({ from: '/audit-log' });
  const go = (after: string | undefined) => void navigate({ search: (before) => ({ ...before, after }) });
  if (isFirst && next === null) return null;
  return (
    <Group justify="flex-end" p="sm" gap="xs">
      <Button size="compact-sm" variant="default" disabled={isFirst} onClick={() => go(undefined)}>
        {t('auditLog.newest')}
      </Button>
      <Button size="compact-sm" variant="default" disabled={next === null} onClick={() => go(next ?? undefined)}>
        {t('auditLog.older')}
      </Button>
    </Group>
  );
}

function useColumns(onOpen: (entry: AuditEntry) => void): Column<AuditEntry>[] {
  const { t } = useTranslation();
  const { instant } = useFormat();
  return [
    { key: 'time', title: t('auditLog.time'), isExtra: true, cell: ({ date }) => instant(date) },
    { key: 'actor', title: t('auditLog.actor'), cell: (entry) => <ActorCell entry={entry} /> },
    { key: 'change', title: t('auditLog.change'), cell: (entry) => <ChangeCell entry={entry} /> },
    {
      key: 'fields',
      title: t('auditLog.fields'),
      isExtra: true,
      cell: ({ before, after }) => Object.keys(after ?? before ?? {}).join(', '),
    },
    {
      key: 'open',
      title: '',
      cell: (entry) => (
        <Button size="compact-sm" variant="default" onClick={() => onOpen(entry)}>
          {t('auditLog.details')}
        </Button>
      ),
    },
  ];
}

function ActorCell({ entry: { actor, date } }: { entry: AuditEntry }) {
  const { t } = useTranslation();
  const { instant } = useFormat();
  return (
    <>
      <Text size="sm" className="foreign" fw={500}>
        {actor.name}
      </Text>
      <Text size="xs" c="dimmed" className="foreign">
        {t(`auditLog.actorKind.${actor.kind}`)}
        {actor.address !== null && ` · ${actor.address}`}
      </Text>
      {/* On phones, where its column is left out. */}
      <Text size="xs" c="dimmed" hiddenFrom="sm">
        {instant(date)}
      </Text>
    </>
  );
}

/** What kinds and actions there are a newer api may know better. */
function ChangeCell({ entry: { kind, action, object, objects } }: { entry: AuditEntry }) {
  const { t } = useTranslation();
  const { count } = useFormat();
  const [knownKind, knownAction] = [KINDS.find((one) => one === kind), CHANGES.find((one) => one === action)];
  return (
    <>
      <Text size="sm">
        {knownKind === undefined ? kind : t(`auditLog.kind.${knownKind}`)} ·{' '}
        {knownAction === undefined ? action : t(`auditLog.action.${knownAction}`)}
      </Text>
      <Text size="xs" c="dimmed" className="foreign">
        {objects > 1 ? t('auditLog.objects', { count: objects, number: count(objects) }) : object}
      </Text>
    </>
  );
}
