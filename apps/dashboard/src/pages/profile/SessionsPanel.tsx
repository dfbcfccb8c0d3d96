import { Badge, Button, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import { useRemark } from '../../features/administration/use-remark.js';
import { useValueName } from '../../features/statistics/value-name.js';
import { Answer } from '../../ui/Answer.js';
import { type Column, DataTable } from '../../ui/DataTable.js';
import { Panel } from '../../ui/Panel.js';
import { useFormat } from '../../ui/use-format.js';
import { type Session, useEndSession, useSessions } from './profile.js';

/** Where somebody is signed in: each place can be ended, and all of them at once. */
export function SessionsPanel({ onEverywhere }: { onEverywhere: () => void }) {
  const { t } = useTranslation();
  const { instant } = useFormat();
  const columns: Column<Session>[] = [
    { key: 'device', title: t('profile.sessions.device'), cell: (session) => <DeviceCell session={session} /> },
    {
      key: 'begun',
      title: t('profile.sessions.begun'),
      isExtra: true,
      cell: ({ dateCreated }) => instant(dateCreated),
    },
    { key: 'used', title: t('profile.sessions.used'), cell: ({ dateLastUsed }) => instant(dateLastUsed) },
    {
      key: 'ends',
      title: t('profile.sessions.ends'),
      isExtra: true,
      cell: ({ dateExpires }) => instant(dateExpires),
    },
    { key: 'end', title: '', cell: (session) => <EndCell session={session} /> },
  ];
  return (
    <Panel
      title={t('profile.sessions.title')}
      actions={
        <Button size="compact-sm" variant="default" onClick={onEverywhere}>
          {t('profile.sessions.everywhere')}
        </Button>
      }
    >
      <Answer query={useSessions()} height={80}>
        {({ sessions: { data } }) => (
          <DataTable label={t('profile.sessions.title')} columns={columns} rows={data} keyOf={({ id }) => id} />
        )}
      </Answer>
    </Panel>
  );
}

/** What of it is known. */
function DeviceCell({ session }: { session: Session }) {
  const nameOf = useValueName();
  const names = (['browser', 'os', 'device'] as const).map((dimension) => nameOf(dimension, session[dimension]));
  return (
    <Text size="sm" className="foreign">
      {[...new Set(names)].join(' · ')}
    </Text>
  );
}

function EndCell({ session }: { session: Session }) {
  const { t } = useTranslation();
  const { instant } = useFormat();
  const onError = useRemark();
  const end = useEndSession();
  if (session.isThis) {
    return <Badge variant="light">{t('profile.sessions.this')}</Badge>;
  }
  return (
    <Button
      size="compact-sm"
      variant="default"
      aria-label={t('profile.sessions.endOf', { time: instant(session.dateCreated) })}
      onClick={() => end.mutate(session, { onError })}
    >
      {t('profile.sessions.end')}
    </Button>
  );
}
