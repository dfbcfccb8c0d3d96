import { Group, Paper, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import { Answer } from '../../ui/Answer.js';
import { useFormat } from '../../ui/use-format.js';
import { ExplainButton } from '../evidence/ExplainButton.js';
import { withValue } from '../evidence/explained.js';
import { useView } from '../view/use-view.js';
import { AnswerMarks } from './AnswerMarks.js';
import { type Scope, type Totals, useTotals } from './queries.js';
import { StatisticMenu } from './StatisticMenu.js';
import { TOTALS } from './statistic-names.js';
import classes from './statistics.module.css';

const NUMBERS = ['visits', 'visitors', 'ips'] as const;

export function TotalsPanel({ scope = {} }: { scope?: Scope }) {
  const { t } = useTranslation();
  const { question, view } = useView();
  const query = useTotals({ ...scope, ...question }, view.compare);
  return (
    <section aria-label={t('statistics.totals')}>
      <Answer query={query} placeholder={<Numbers scope={scope} />}>
        {(answer) => <Numbers scope={scope} answer={answer} />}
      </Answer>
    </section>
  );
}

/** As they are shown with an answer and without one, so that nothing moves when it comes. */
function Numbers({ scope, answer }: { scope: Scope; answer?: Totals }) {
  const { t } = useTranslation();
  return (
    <div aria-busy={answer === undefined}>
      <dl className={classes.totals}>
        {NUMBERS.map((name) => (
          <Total key={name} name={name} answer={answer} />
        ))}
        <People answer={answer} />
      </dl>
      <div className={classes.marks}>
        {answer !== undefined && <AnswerMarks state={answer} />}
        <StatisticMenu name={TOTALS} title={t('statistics.totals')} scope={scope} hasTable={false} />
      </div>
    </div>
  );
}

function Total({ name, answer }: { name: (typeof NUMBERS)[number]; answer: Totals | undefined }) {
  const { t } = useTranslation();
  const { count, change } = useFormat();
  const now = answer?.totals[name];
  const before = answer?.compared?.totals[name];
  return (
    <Paper withBorder p="md">
      <Text component="dt" size="sm" c="dimmed">
        {t(`statistics.${name}`)}
      </Text>
      <Group component="dd" gap="xs" align="baseline" className={classes.number}>
        <span data-total={name}>
          {now === undefined ? count(now) : <ExplainButton explained={{ filters: [] }}>{count(now)}</ExplainButton>}
        </span>
        {now !== undefined && before !== undefined && (
          <Text span size="sm" c="dimmed">
            {t('statistics.compared', { change: change(now, before), before: count(before) })}
          </Text>
        )}
      </Group>
    </Paper>
  );
}

/** Robots and previews are visits, and are told apart. */
function People({ answer }: { answer: Totals | undefined }) {
  const { t } = useTranslation();
  const { count, share } = useFormat();
  const { byClass, visits = 0 } = answer?.totals ?? {};
  return (
    <Paper withBorder p="md">
      <Text component="dt" size="sm" c="dimmed">
        {t('statistics.class.human')}
      </Text>
      <Group component="dd" gap="xs" align="baseline" className={classes.number}>
        <span data-total="human">
          {byClass === undefined ? (
            count(undefined)
          ) : (
            <ExplainButton explained={withValue('class', 'human')}>{count(byClass.human)}</ExplainButton>
          )}
        </span>
        {byClass !== undefined && visits > 0 && (
          <Text span size="sm" c="dimmed">
            {share(byClass.human, visits)}
          </Text>
        )}
      </Group>
    </Paper>
  );
}
