import { Badge, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import { Panel } from '../../ui/Panel.js';
import { useFormat } from '../../ui/use-format.js';
import { ExplainButton } from '../evidence/ExplainButton.js';
import type { Scope } from '../statistics/queries.js';
import { useView } from '../view/use-view.js';
import type { StreamState } from './followed-stream.js';
import { LiveFeed } from './LiveFeed.js';
import classes from './live.module.css';
import { type LiveCounts, useLiveCounts } from './use-live.js';

const WINDOWS = [5, 30] as const;

/** Who comes just now: numbers once a second, and visits as they come. @public */
export function LivePanel({ scope = {} }: { scope?: Scope | undefined }) {
  const { t } = useTranslation();
  const { view } = useView();
  const { counts, state, isStale } = useLiveCounts(scope, view.filter ?? []);
  return (
    <Panel title={t('live.title')} actions={<LiveState state={state} isStale={isStale} asOf={counts?.endDate} />}>
      <dl className={isStale ? `${classes.windows} old` : classes.windows}>
        {WINDOWS.map((minutes) => (
          <div key={minutes}>
            <Text component="dt" size="sm" c="dimmed">
              {t('live.minutes', { count: minutes })}
            </Text>
            <dd>
              <Window counts={counts} minutes={minutes} />
            </dd>
          </div>
        ))}
      </dl>
      <LiveFeed scope={scope} hasFilters={(view.filter ?? []).length > 0} />
    </Panel>
  );
}

function Window({ counts, minutes }: { counts: LiveCounts | undefined; minutes: (typeof WINDOWS)[number] }) {
  const { t } = useTranslation();
  const { count } = useFormat();
  if (counts === undefined) {
    return (
      <>
        <span className={classes.number}>{count(undefined)}</span>
        {/* As high as it is with numbers. */}
        <Text component="div" size="sm">
          &nbsp;
        </Text>
      </>
    );
  }
  const { visits, visitors, ips } = counts[`minutes${minutes}`];
  const { endDate: to } = counts;
  const from = new Date(Date.parse(to) - minutes * 60_000).toISOString();
  return (
    <>
      <span className={classes.number} data-live={minutes}>
        <ExplainButton explained={{ filters: [], from, to }}>{count(visits)}</ExplainButton>
      </span>
      <Text component="div" size="sm" c="dimmed">
        {t('live.visits', { count: visits })}
        {visitors !== undefined && ` · ${t('live.visitors', { count: visitors, number: count(visitors) })}`}
        {` · ${t('live.ips', { count: ips, number: count(ips) })}`}
      </Text>
    </>
  );
}

interface StateProps {
  state: StreamState;
  isStale: boolean;
  asOf: string | undefined;
}

function LiveState({ state, isStale, asOf }: StateProps) {
  const { t } = useTranslation();
  const { instant } = useFormat();
  if (state === 'paused') return null;
  if (isStale || state === 'broken') {
    return (
      <Badge color="orange" variant="dot" role="status">
        {asOf === undefined ? t('live.none') : t('live.stale', { time: instant(asOf, 'time') })}
      </Badge>
    );
  }
  return (
    <Badge color={state === 'open' ? 'green' : 'gray'} variant="dot" role="status">
      {t(state === 'open' ? 'live.open' : 'live.opening')}
    </Badge>
  );
}
