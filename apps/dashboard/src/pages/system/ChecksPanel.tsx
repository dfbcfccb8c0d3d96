import { Badge, Button } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import { Answer } from '../../ui/Answer.js';
import { DataTable } from '../../ui/DataTable.js';
import { Panel } from '../../ui/Panel.js';
import { type SystemCheck, useChecks } from './system.js';

const COLORS = { ok: 'green', warn: 'yellow', fail: 'red' } as const;
const TOPIC = 'topic ';
const NAMES = [
  ...(['postgres', 'clock', 'worker', 'backlog', 'ledger partitions', 'default partition', 'migrations'] as const),
  ...(['dead letters', 'consumers', 'retention', 'ledger months', 'loose codes', 'data centres'] as const),
  ...(['surges of hosts', 'kafka', 'copies of topics', 'hash-keys', 'redis', 'read standby'] as const),
];
const ORDER = ['fail', 'warn', 'ok'] as const;

/** What `hopcount doctor` says: what has a code in the language of the page, all else in doctor's words. */
export function ChecksPanel() {
  const { t } = useTranslation();
  const query = useChecks();
  return (
    <Panel
      title={t('system.checks.title')}
      actions={
        <Button size="xs" variant="default" loading={query.isFetching} onClick={() => void query.refetch()}>
          {t('system.checks.again')}
        </Button>
      }
    >
      <Answer query={query}>
        {({ checks: { data } }) => (
          <DataTable
            label={t('system.checks.title')}
            keyOf={({ name }) => name}
            rows={[...data].sort((a, b) => ORDER.indexOf(a.status) - ORDER.indexOf(b.status))}
            columns={[
              { key: 'name', title: t('system.checks.name'), cell: ({ name }) => <Name name={name} /> },
              {
                key: 'status',
                title: t('system.checks.status.title'),
                cell: ({ status }) => (
                  <Badge variant="dot" color={COLORS[status]}>
                    {t(`system.checks.status.${status}`)}
                  </Badge>
                ),
              },
              { key: 'found', title: t('system.checks.found'), cell: (check) => <Found check={check} /> },
              {
                key: 'advice',
                title: t('system.checks.advice'),
                isExtra: true,
                cell: ({ advice, adviceCode }) =>
                  adviceCode === null ? <span lang="en">{advice}</span> : t(`system.checks.said.do.${adviceCode}`),
              },
            ]}
          />
        )}
      </Answer>
    </Panel>
  );
}

/** A newer api may have other checks. */
function Name({ name }: { name: string }) {
  const { t } = useTranslation();
  const known = NAMES.find((one) => one === name);
  if (known !== undefined) return t(`system.checks.names.${known}`);
  return name.startsWith(TOPIC) ? t('system.checks.topic', { name: name.slice(TOPIC.length) }) : name;
}

function Found({ check: { found, foundCode, values } }: { check: SystemCheck }) {
  const { t } = useTranslation();
  if (foundCode === null) return <span lang="en">{found}</span>;
  const { count, ...others } = values;
  return t(`system.checks.said.found.${foundCode}`, { ...others, count: Number(count ?? 0) });
}
