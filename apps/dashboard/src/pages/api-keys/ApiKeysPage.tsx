import { Badge, Button, Code, Paper, Text } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import { SecretModal } from '../../features/administration/SecretModal.js';
import { Answer } from '../../ui/Answer.js';
import { type Column, DataTable } from '../../ui/DataTable.js';
import { NoRows } from '../../ui/NoRows.js';
import { PageHeader } from '../../ui/PageHeader.js';
import { Pages, usePage } from '../../ui/Pages.js';
import { useFormat } from '../../ui/use-format.js';
import { ApiKeyMenu } from './ApiKeyMenu.js';
import { type ApiKey, useApiKeys } from './api-keys.js';
import { CreateApiKeyModal } from './CreateApiKeyModal.js';

const STATE_COLORS = { active: 'green', disabled: 'gray', expired: 'orange', revoked: 'red' } as const;

/** @public */
export function ApiKeysPage() {
  const { t } = useTranslation();
  const query = useApiKeys(usePage());
  const [isCreating, setCreating] = useState(false);
  const [secret, setSecret] = useState<string>();
  const columns = useColumns(setSecret);
  return (
    <>
      <PageHeader title={t('apiKeys.title')} subtitle={t('apiKeys.about')}>
        <Button onClick={() => setCreating(true)}>{t('apiKeys.create')}</Button>
      </PageHeader>
      <Paper withBorder>
        <Answer query={query}>
          {({ apiKeys: { data, pagination } }) =>
            data.length === 0 ? (
              <NoRows query={query} pagination={pagination}>
                {t('apiKeys.none')}
              </NoRows>
            ) : (
              <>
                <DataTable label={t('apiKeys.title')} columns={columns} rows={data} keyOf={({ id }) => String(id)} />
                <Pages pagination={pagination} />
              </>
            )
          }
        </Answer>
      </Paper>
      {isCreating && (
        <CreateApiKeyModal
          onClose={() => setCreating(false)}
          onCreated={(created) => {
            setCreating(false);
            setSecret(created);
          }}
        />
      )}
      {secret !== undefined && (
        <SecretModal
          title={t('apiKeys.secret.title')}
          hint={t('apiKeys.secret.hint')}
          secret={secret}
          onClose={() => setSecret(undefined)}
        />
      )}
    </>
  );
}

function useColumns(onSecret: (secret: string) => void): Column<ApiKey>[] {
  const { t } = useTranslation();
  const { instant } = useFormat();
  return [
    { key: 'name', title: t('apiKeys.name'), cell: (key) => <NameCell apiKey={key} /> },
    { key: 'scopes', title: t('apiKeys.scopes'), isExtra: true, cell: (key) => <ScopesCell apiKey={key} /> },
    {
      key: 'state',
      title: t('apiKeys.state.title'),
      cell: ({ state }) => (
        <Badge variant="dot" color={STATE_COLORS[state]}>
          {t(`apiKeys.state.${state}`)}
        </Badge>
      ),
    },
    {
      key: 'expires',
      title: t('apiKeys.expires'),
      isExtra: true,
      cell: ({ dateExpires }) => (dateExpires === null ? t('apiKeys.never') : instant(dateExpires)),
    },
    {
      key: 'used',
      title: t('apiKeys.lastUsed'),
      isExtra: true,
      cell: ({ dateLastUsed }) => (dateLastUsed === null ? t('apiKeys.neverUsed') : instant(dateLastUsed)),
    },
    { key: 'menu', title: '', cell: (key) => <ApiKeyMenu apiKey={key} onSecret={onSecret} /> },
  ];
}

function NameCell({ apiKey: { name, prefix, previousUntil } }: { apiKey: ApiKey }) {
  const { t } = useTranslation();
  const { instant } = useFormat();
  return (
    <>
      <Text size="sm" className="foreign" fw={500}>
        {name}
      </Text>
      {prefix !== null && <Code>{prefix}…</Code>}
      {previousUntil !== null && (
        <Text size="xs" c="dimmed">
          {t('apiKeys.previousUntil', { time: instant(previousUntil) })}
        </Text>
      )}
    </>
  );
}

function ScopesCell({ apiKey: { scopes, domain, authoredOnly, noOrphanVisits } }: { apiKey: ApiKey }) {
  const { t } = useTranslation();
  const limits = [
    domain !== null && t('apiKeys.onDomain', { domain }),
    authoredOnly && t('apiKeys.authoredOnly'),
    noOrphanVisits && t('apiKeys.noOrphanVisits'),
  ].filter((limit) => limit !== false);
  return (
    <>
      <Text size="sm">{scopes.join(', ')}</Text>
      {limits.length > 0 && (
        <Text size="xs" c="dimmed" className="foreign">
          {limits.join(' · ')}
        </Text>
      )}
    </>
  );
}
