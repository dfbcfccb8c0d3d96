import { Badge, Group, Text, UnstyledButton } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import { Answer } from '../../ui/Answer.js';
import { EmptyState } from '../../ui/EmptyState.js';
import { countryName } from '../../ui/format.js';
import { KeysetPages } from '../../ui/KeysetPages.js';
import { Panel } from '../../ui/Panel.js';
import { useChangeSearch } from '../../ui/use-change-search.js';
import { useFormat } from '../../ui/use-format.js';
import { type HostAlert, useAlerts } from './hosts.js';
import classes from './hosts.module.css';
import { useHostName } from './use-host-name.js';

/** What surges and what did, on a line of time; each with what it is made of. */
export function SurgesPanel({ after }: { after: string | undefined }) {
  const { t } = useTranslation();
  const changeSearch = useChangeSearch();
  return (
    <div className={classes.part}>
      <Panel title={t('hosts.surges')}>
        <Answer query={useAlerts(after)} height={200}>
          {({ alerts: { data, next } }) => (
            <>
              {data.length === 0 && <EmptyState>{t('hosts.noSurges')}</EmptyState>}
              <ol className={classes.line}>
                {data.map((alert) => (
                  <Surge key={alert.id} alert={alert} />
                ))}
              </ol>
              <KeysetPages after={after} next={next} onPage={(surges) => changeSearch({ surges })} />
            </>
          )}
        </Answer>
      </Panel>
    </div>
  );
}

function Surge({ alert }: { alert: HostAlert }) {
  const { t } = useTranslation();
  const { instant, count } = useFormat();
  const changeSearch = useChangeSearch();
  const nameOf = useHostName();
  const { kind, host, state, openedAt, escalatedAt, closedAt, closedBecause, visits, usualVisits, explanation } = alert;
  return (
    <li data-state={state}>
      <Group gap="xs" align="baseline">
        <time dateTime={openedAt}>{instant(openedAt)}</time>
        <Badge color={state === 'open' ? 'red' : 'gray'} variant="dot">
          {t(`hosts.states.${state}`)}
        </Badge>
        <UnstyledButton
          className="foreign"
          fw={700}
          td="underline"
          onClick={() => changeSearch({ kind, by: undefined, below: host, after: undefined, hosts: undefined })}
        >
          {nameOf(host)}
        </UnstyledButton>
        <Text span size="sm" c="dimmed">
          {t(`hosts.kinds.${kind}`)}
        </Text>
      </Group>
      <Text size="sm">
        {t('hosts.surge', { visits: count(visits), usual: count(Math.round(usualVisits * 10) / 10) })}
        {alert.new && ` ${t('hosts.new')}`}
        {escalatedAt !== null && ` ${t('hosts.escalated', { time: instant(escalatedAt) })}`}
        {closedAt !== null &&
          ` ${t(closedBecause === 'lasting' ? 'hosts.lasting' : 'hosts.over', { time: instant(closedAt) })}`}
      </Text>
      {explanation === null ? (
        <Text size="sm" c="dimmed">
          {t('hosts.noExplanation')}
        </Text>
      ) : (
        <Explanation explanation={explanation} />
      )}
    </li>
  );
}

function Explanation({ explanation }: { explanation: NonNullable<HostAlert['explanation']> }) {
  const { t } = useTranslation();
  const { count, share, language } = useFormat();
  const { visits, bots, links, referrers, countries } = explanation;
  const parts: [string, { name: string; visits: number }[]][] = [
    [t('statistics.topLinks'), links.map((one) => ({ name: `${one.domain}/${one.shortCode}`, visits: one.visits }))],
    [t('statistics.dimension.referrer'), referrers.map((one) => ({ name: one.referrer, visits: one.visits }))],
    [
      t('statistics.dimension.country'),
      countries.map((one) => ({ name: countryName(one.country, language) ?? one.country, visits: one.visits })),
    ],
  ];
  return (
    <>
      <Text size="sm" c="dimmed">
        {t('hosts.madeOf', { visits: count(visits), bots: share(bots, visits) })}
      </Text>
      <dl className={classes.madeOf}>
        {parts.map(([title, rows]) => (
          <div key={title}>
            <dt>{title}</dt>
            {rows.map((row) => (
              <dd key={row.name} className="foreign">
                {row.name} · {count(row.visits)}
              </dd>
            ))}
            {rows.length === 0 && <dd>–</dd>}
          </div>
        ))}
      </dl>
    </>
  );
}
