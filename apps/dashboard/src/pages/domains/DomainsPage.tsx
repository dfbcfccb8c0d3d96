import { Badge, Button, Paper, Text } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import { type Domain, useDomains } from '../../features/administration/domains.js';
import { mayWriteEverything } from '../../features/session/roles.js';
import { useUser } from '../../features/session/session.js';
import { Answer } from '../../ui/Answer.js';
import { type Column, DataTable } from '../../ui/DataTable.js';
import { PageHeader } from '../../ui/PageHeader.js';
import { DomainModal } from './DomainModal.js';
import { REDIRECTS, type Redirects } from './domains.js';

const NONE: Redirects = { baseUrlRedirect: null, invalidShortUrlRedirect: null, regular404Redirect: null };

/** @public */
export function DomainsPage() {
  const { t } = useTranslation();
  const canWrite = mayWriteEverything(useUser());
  const query = useDomains();
  const [shown, show] = useState<{ domain?: Domain }>();
  const defaults = query.data?.domains.defaultRedirects ?? NONE;
  const columns = useColumns(defaults, canWrite ? (domain) => show({ domain }) : undefined);
  return (
    <>
      <PageHeader title={t('domains.title')} subtitle={t('domains.about')}>
        {canWrite && <Button onClick={() => show({})}>{t('domains.add')}</Button>}
      </PageHeader>
      <Paper withBorder>
        <Answer query={query}>
          {({ domains: { data } }) => (
            <DataTable label={t('domains.title')} columns={columns} rows={data} keyOf={({ domain }) => domain} />
          )}
        </Answer>
      </Paper>
      {shown !== undefined && <DomainModal domain={shown.domain} defaults={defaults} onClose={() => show(undefined)} />}
    </>
  );
}

function useColumns(defaults: Redirects, onEdit: ((domain: Domain) => void) | undefined): Column<Domain>[] {
  const { t } = useTranslation();
  return [
    {
      key: 'domain',
      title: t('domains.domain'),
      cell: (domain) => <DomainCell domain={domain} />,
    },
    ...REDIRECTS.map((name): Column<Domain> => ({
      key: name,
      title: t(`domains.${name}`),
      isExtra: true,
      cell: ({ redirects }) => (
        <Text size="sm" className="foreign" c={redirects[name] === null ? 'dimmed' : undefined}>
          {redirects[name] ?? defaults[name] ?? t('domains.notFound')}
        </Text>
      ),
    })),
    ...(onEdit === undefined
      ? []
      : [
          {
            key: 'edit',
            title: '',
            cell: (domain: Domain) => (
              <Button
                size="compact-sm"
                variant="default"
                aria-label={`${t('administration.edit')} ${domain.domain}`}
                onClick={() => onEdit(domain)}
              >
                {t('administration.edit')}
              </Button>
            ),
          },
        ]),
  ];
}

function DomainCell({ domain: { domain, isDefault } }: { domain: Domain }) {
  const { t } = useTranslation();
  return (
    <>
      <Text size="sm" fw={500} className="foreign">
        {domain}
      </Text>
      {isDefault && (
        <Badge variant="outline" color="gray" c="dimmed">
          {t('domains.default')}
        </Badge>
      )}
    </>
  );
}
