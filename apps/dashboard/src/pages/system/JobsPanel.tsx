import { Badge, Box, Button, Group, Progress, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import { useRemark } from '../../features/administration/use-remark.js';
import { Answer } from '../../ui/Answer.js';
import { type Column, DataTable } from '../../ui/DataTable.js';
import { EmptyState } from '../../ui/EmptyState.js';
import { Panel } from '../../ui/Panel.js';
import { useFormat } from '../../ui/use-format.js';
import { type Job, type JobStep, numbersOf, percentOf, stepsOf } from './job-steps.js';
import { useJobs, useJobStep } from './jobs.js';
import { PlanJobModal } from './PlanJobModal.js';

const COLORS = {
  ...({ planning: 'blue', planned: 'yellow', running: 'blue', paused: 'yellow' } as const),
  ...({ done: 'green', mismatch: 'red', failed: 'red', cancelled: 'gray' } as const),
} as const;
const MINUTE_S = 60;
const NUMBERS = [
  ...(['links', 'differences', 'visits', 'letters', 'dueHours', 'expectedCountChange', 'actualCountChange'] as const),
  ...(['alreadyCounted', 'purged', 'refusedAgain', 'sent', 'buckets', 'slots', 'totals', 'folds', 'scopes'] as const),
  ...(['sourceMinutes', 'hosts', 'days', 'tags', 'differencesLeft', 'monthsFailed', 'failed', 'hours'] as const),
  ...(['files', 'attributed', 'records', 'counted', 'missing', 'notReadYet', 'refused', 'repeated'] as const),
] as const;

/** What workers do for operators: first the plan, then the work. */
export function JobsPanel() {
  const { t } = useTranslation();
  const query = useJobs();
  const [isPlanning, plan] = useState(false);
  const columns = useColumns();
  return (
    <Panel
      title={t('system.jobs.title')}
      actions={
        <Button size="xs" variant="default" onClick={() => plan(true)}>
          {t('system.jobs.plan')}
        </Button>
      }
    >
      <Answer query={query}>
        {({ jobs: { data } }) =>
          data.length === 0 ? (
            <EmptyState>{t('system.jobs.none')}</EmptyState>
          ) : (
            <DataTable label={t('system.jobs.title')} columns={columns} rows={data} keyOf={({ id }) => id} />
          )
        }
      </Answer>
      {isPlanning && <PlanJobModal onClose={() => plan(false)} />}
    </Panel>
  );
}

function useColumns(): Column<Job>[] {
  const { t } = useTranslation();
  const { instant } = useFormat();
  return [
    {
      key: 'kind',
      title: t('system.jobs.kind.title'),
      isWide: true,
      cell: (job) => (
        <>
          {`${job.id} · ${t(`system.jobs.kind.${job.kind}`)}`}
          <Text size="xs" c="dimmed">
            {`${instant(job.createdAt)} · ${job.askedBy}`}
          </Text>
          {/* Phones have no room for more columns. */}
          <Stack gap={4} mt={4} hiddenFrom="sm">
            <StateBadge state={job.state} />
            <JobProgress job={job} />
          </Stack>
        </>
      ),
    },
    {
      key: 'state',
      title: t('system.jobs.state.title'),
      isExtra: true,
      cell: ({ state }) => <StateBadge state={state} />,
    },
    {
      key: 'progress',
      title: t('system.jobs.progress'),
      isExtra: true,
      // Of one width, whatever it says: or the columns would move each second.
      cell: (job) => (
        <Box w="min(24rem, 30vw)">
          <JobProgress job={job} />
        </Box>
      ),
    },
    { key: 'actions', title: '', cell: (job) => <JobButtons job={job} /> },
  ];
}

function StateBadge({ state }: Pick<Job, 'state'>) {
  const { t } = useTranslation();
  return (
    <Badge variant="dot" color={COLORS[state]} data-job-state={state} style={{ flexShrink: 0 }}>
      {t(`system.jobs.state.${state}`)}
    </Badge>
  );
}

function JobProgress({ job }: { job: Job }) {
  const { t } = useTranslation();
  const { count } = useFormat();
  const { done, total, perSecond, secondsLeft, step, error } = job;
  const percent = percentOf(job);
  const numbers = numbersOf(job);
  const isOpen = job.state === 'running' || job.state === 'planning';
  const label = t('system.jobs.progressOf', { id: job.id });
  const said = [
    ...(total === null ? [] : [t('system.jobs.doneOf', { done: count(done), total: count(total) })]),
    ...(perSecond === null ? [] : [t('system.jobs.perSecond', { rate: count(Math.round(perSecond)) })]),
    ...(secondsLeft === null ? [] : [timeLeft(secondsLeft)]),
  ];
  function timeLeft(seconds: number): string {
    return seconds < 2 * MINUTE_S
      ? t('system.jobs.secondsLeft', { seconds: Math.ceil(seconds) })
      : t('system.jobs.minutesLeft', { minutes: Math.ceil(seconds / MINUTE_S) });
  }
  return (
    <>
      {isOpen && <Progress value={percent ?? 100} animated={percent === undefined} aria-label={label} mb={4} />}
      {isOpen && (
        <Text size="xs" c="dimmed">
          <span lang="en">{step}</span> {said.join(' · ')}
          {!job.isHeld && t('system.jobs.waitsForWorker')}
        </Text>
      )}
      {numbers.length > 0 && (
        <Text size="xs" data-job-numbers>
          {t(`system.jobs.${job.startedAt === null ? 'would' : job.endedAt === null ? 'soFar' : 'result'}`)}{' '}
          {numbers.map(([name, number]) => `${nameOf(name)}: ${count(number)}`).join(' · ')}
        </Text>
      )}
      {error !== null && (
        <Text size="xs" c="red" lang="en">
          {error}
        </Text>
      )}
    </>
  );
  /** A newer api may have others. */
  function nameOf(name: string): string {
    const known = NUMBERS.find((one) => one === name);
    return known === undefined ? name : t(`system.jobs.number.${known}`);
  }
}

function JobButtons({ job }: { job: Job }) {
  const { t } = useTranslation();
  const change = useJobStep();
  const onError = useRemark();
  const take = (step: JobStep, button: HTMLElement) => {
    if (change.isPending) return;
    // The last button of the row goes then, and the focus would go with it.
    const onSuccess = () => step === 'cancel' && button.closest<HTMLElement>('[role=region]')?.focus();
    change.mutate({ id: job.id, step }, { onError, onSuccess });
  };
  return (
    <Group gap={4} justify="flex-end" wrap="nowrap">
      {stepsOf(job).map((step) => (
        <Button
          // Start, pause and resume are one button, and none is disabled meanwhile: either would lose the focus.
          key={step === 'cancel' ? step : 'next'}
          size="compact-xs"
          variant={step === 'start' ? 'light' : 'subtle'}
          color={step === 'cancel' ? 'red' : undefined}
          data-disabled={change.isPending || undefined}
          onClick={({ currentTarget }) => take(step, currentTarget)}
          aria-label={t(`system.jobs.${step}One`, { id: job.id })}
        >
          {t(`system.jobs.${step}`)}
        </Button>
      ))}
    </Group>
  );
}
