import { Button, Group, UnstyledButton } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import { Answer } from '../../ui/Answer.js';
import { type Column, DataTable } from '../../ui/DataTable.js';
import { EmptyState } from '../../ui/EmptyState.js';
import { Panel } from '../../ui/Panel.js';
import { useChangeSearch } from '../../ui/use-change-search.js';
import { useFormat } from '../../ui/use-format.js';
import { type HostRow, type HostsAsked, useHosts } from './hosts.js';
import classes from './hosts.module.css';

/** Names one label below another one, each with all below it. */
export function HostsPanel({ asked }: { asked: HostsAsked }) {
  const { t } = useTranslation();
  const changeSearch = useChangeSearch();
  const columns = useColumns(asked);
  const title = asked.below === undefined ? t('hosts.top') : t('hosts.below', { host: asked.below });
  return (
    <div className={classes.part}>
      <Panel title={title}>
        <Answer query={useHosts(asked)} height={420}>
          {({ hosts: { data, next } }) => (
            <>
              {data.length === 0 ? (
                <EmptyState>{t(asked.order === 'window' ? 'hosts.noneNow' : 'hosts.none')}</EmptyState>
              ) : (
                <DataTable label={title} rows={data} keyOf={({ host }) => host} columns={columns} />
              )}
              <Group justify="flex-end" gap="xs" mt="sm">
                {asked.after !== undefined && (
                  <Button size="xs" variant="default" onClick={() => changeSearch({ after: undefined })}>
                    {t('common.page.first')}
                  </Button>
                )}
                {next !== null && (
                  <Button size="xs" variant="default" onClick={() => changeSearch({ after: next })}>
                    {t('common.page.next')}
                  </Button>
                )}
              </Group>
            </>
          )}
        </Answer>
      </Panel>
    </div>
  );
}

function useColumns({ order }: HostsAsked): Column<HostRow>[] {
  const { t } = useTranslation();
  const { count } = useFormat();
  const changeSearch = useChangeSearch();
  return [
    {
      key: 'host',
      title: t('hosts.host'),
      // What begins with ~ stands for several, and is no name that could be asked for.
      cell: ({ host }) =>
        host.startsWith('~') ? (
          <HostName host={host} />
        ) : (
          <UnstyledButton
            fz="inherit"
            td="underline"
            className="foreign"
            onClick={() => changeSearch({ below: host, after: undefined })}
          >
            {host}
          </UnstyledButton>
        ),
    },
    ...(order === 'window'
      ? [{ ...number('window', t('hosts.window')), cell: ({ window }: HostRow) => count(window) }]
      : []),
    { ...number('visits', t('statistics.visits')), cell: ({ visits }) => count(visits) },
    { ...number('people', t('statistics.class.human')), cell: ({ byClass }) => count(byClass.human) },
    { ...number('own', t('hosts.own')), isExtra: true, cell: ({ own }) => count(own) },
    { ...number('children', t('hosts.children')), isExtra: true, cell: ({ children }) => count(children) },
  ];
}

const number = (key: string, title: string) => ({ key, title, isNumeric: true });

const GROUPS = ['unknown', 'direct', 'ip', 'app', 'rest'] as const;

/** Names that stand for several, in words. */
function HostName({ host }: { host: string }) {
  const { t } = useTranslation();
  const group = GROUPS.find((one) => `~${one}` === host);
  return <span className="foreign">{group === undefined ? host : t(`hosts.groups.${group}`)}</span>;
}
