import { Badge, Box, Button, Paper, Text } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import { SecretModal } from '../../features/administration/SecretModal.js';
import { useUser } from '../../features/session/session.js';
import { BROWSER_ZONE } from '../../features/view/default-zone.js';
import { Answer } from '../../ui/Answer.js';
import { type Column, DataTable } from '../../ui/DataTable.js';
import { EmptyState } from '../../ui/EmptyState.js';
import { FormModal } from '../../ui/FormModal.js';
import { PageHeader } from '../../ui/PageHeader.js';
import { useFormat } from '../../ui/use-format.js';
import { toNewAlert } from './alert-form.js';
import { AlertFields, refusedBy } from './AlertFields.js';
import { AlertMenu } from './AlertMenu.js';
import { type Alert, type Channel, useAlerts, useCreateAlert } from './alerts.js';
import { useAlertWords } from './use-alert-words.js';

/** @public */
export function AlertsPage() {
  const { t } = useTranslation();
  const [isCreating, setCreating] = useState(false);
  const [secret, setSecret] = useState<string>();
  const query = useAlerts();
  const channels = query.data?.channels ?? [];
  const columns = useColumns(channels);
  return (
    <>
      <PageHeader title={t('alerts.title')} subtitle={t('alerts.about')}>
        <Button disabled={channels.length === 0} onClick={() => setCreating(true)}>
          {t('alerts.create')}
        </Button>
      </PageHeader>
      <Paper withBorder>
        <Answer query={query}>
          {({ alerts: { data } }) =>
            data.length === 0 ? (
              <EmptyState>
                <Text size="sm">{t('alerts.none')}</Text>
                <Text size="sm">{t('alerts.noneHint')}</Text>
              </EmptyState>
            ) : (
              <DataTable label={t('alerts.title')} columns={columns} rows={data} keyOf={({ id }) => id} />
            )
          }
        </Answer>
      </Paper>
      {isCreating && (
        <CreateModal
          channels={channels}
          onClose={() => setCreating(false)}
          onCreated={(made) => {
            setCreating(false);
            setSecret(made);
          }}
        />
      )}
      {secret !== undefined && (
        <SecretModal
          title={t('alerts.secret.title')}
          hint={t('alerts.secret.hint')}
          secret={secret}
          onClose={() => setSecret(undefined)}
        />
      )}
    </>
  );
}

interface CreateProps {
  channels: readonly Channel[];
  /** With the secret, where what is posted is verified with it. */
  onCreated: (secret: string | undefined) => void;
  onClose: () => void;
}

function CreateModal({ channels, onCreated, onClose }: CreateProps) {
  const { t } = useTranslation();
  const create = useCreateAlert();
  const submit = (form: FormData) =>
    create.mutate(toNewAlert(form, BROWSER_ZONE), {
      onSuccess: ({ channel, secret }) => onCreated(channel === 'webhook' ? (secret ?? undefined) : undefined),
    });
  return (
    <FormModal
      title={t('alerts.create')}
      submit={t('alerts.create')}
      state={create}
      onSubmit={submit}
      onClose={onClose}
    >
      <AlertFields channels={channels} refused={refusedBy(create.error)} />
    </FormModal>
  );
}

function useColumns(channels: readonly Channel[]): Column<Alert>[] {
  const { t } = useTranslation();
  const { instant } = useFormat();
  const { watched, condition } = useAlertWords();
  return [
    { key: 'name', title: t('alerts.name'), isWide: true, cell: (alert) => <Name alert={alert} /> },
    { key: 'watched', title: t('alerts.watched'), isExtra: true, cell: (alert) => <Foreign text={watched(alert)} /> },
    { key: 'condition', title: t('alerts.condition'), isExtra: true, cell: condition },
    { key: 'channel', title: t('alerts.channel'), isExtra: true, cell: (alert) => <ReceiverCell alert={alert} /> },
    {
      key: 'told',
      title: t('alerts.told'),
      isExtra: true,
      cell: ({ toldAt }) => (toldAt === null ? t('alerts.never') : instant(toldAt)),
    },
    { key: 'state', title: t('alerts.state.title'), cell: (alert) => <StateCell alert={alert} /> },
    { key: 'menu', title: '', cell: (alert) => <AlertMenu alert={alert} channels={channels} /> },
  ];
}

/** Owners see alerts of others as well: then it says whose. */
function Name({ alert }: { alert: Alert }) {
  const { t } = useTranslation();
  const { watched, condition } = useAlertWords();
  const user = useUser();
  const { name, createdBy } = alert;
  const isOwn = createdBy.kind === 'user' && createdBy.id === user.id;
  return (
    <>
      <Text size="sm" className="foreign" fw={500}>
        {name}
      </Text>
      {/* Phones have no columns of these. */}
      <Box hiddenFrom="sm">
        <Remark text={`${watched(alert)}: ${condition(alert)}`} />
      </Box>
      {!isOwn && <Remark text={t(`alerts.by.${createdBy.kind}`, { name: createdBy.name })} />}
    </>
  );
}

function Foreign({ text }: { text: string }) {
  return (
    <Text size="sm" className="foreign">
      {text}
    </Text>
  );
}

function ReceiverCell({ alert: { channel, url, email } }: { alert: Alert }) {
  const { t } = useTranslation();
  return (
    <>
      <Text size="sm">{t(`alerts.channels.${channel}`)}</Text>
      <Remark text={email ?? url ?? ''} />
    </>
  );
}

const COLORS = { quiet: 'green', ongoing: 'red', failing: 'orange', unwatched: 'orange', disabled: 'gray' } as const;

/** How it goes; where it does not, why, as the api says it. */
function StateCell({ alert }: { alert: Alert }) {
  const { t } = useTranslation();
  const state = stateOf(alert);
  return (
    <>
      <Badge variant="dot" color={COLORS[state]}>
        {t(`alerts.state.${state}`)}
      </Badge>
      {alert.disabledReason !== null && <Remark text={alert.disabledReason} />}
      {state === 'unwatched' && <Remark text={t('alerts.unwatchedHint')} />}
      {state === 'failing' && <Remark text={alert.lastFailure?.reason ?? ''} />}
    </>
  );
}

function stateOf({ enabled, watched, ongoing, lastFailure, deliveredAt }: Alert): keyof typeof COLORS {
  if (!enabled) return 'disabled';
  if (!watched) return 'unwatched';
  if (lastFailure !== null && (deliveredAt === null || lastFailure.at > deliveredAt)) return 'failing';
  return ongoing ? 'ongoing' : 'quiet';
}

function Remark({ text }: { text: string }) {
  return (
    <Text size="xs" c="dimmed" className="foreign" maw="20rem">
      {text}
    </Text>
  );
}
