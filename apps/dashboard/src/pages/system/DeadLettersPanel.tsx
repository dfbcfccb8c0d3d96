import { Badge, Button, Group, Text } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import { Answer } from '../../ui/Answer.js';
import { type Column, DataTable } from '../../ui/DataTable.js';
import { EmptyState } from '../../ui/EmptyState.js';
import { Panel } from '../../ui/Panel.js';
import { useFormat } from '../../ui/use-format.js';
import { LetterModal } from './LetterModal.js';
import { RedriveModal } from './RedriveModal.js';
import { type DeadLetterSummary, useDeadLetters } from './system.js';

const MOST_AT_ONCE = 100;
const COLORS = { waiting: 'yellow', redriven: 'green', discarded: 'gray' } as const;

export function DeadLettersPanel() {
  const { t } = useTranslation();
  const query = useDeadLetters();
  const [shown, show] = useState<string>();
  const [chosen, choose] = useState<string[]>();
  const letters = query.data?.pages.flatMap(({ deadLetters }) => deadLetters.data) ?? [];
  const waiting = letters.filter(({ state }) => state === 'waiting').map(({ place }) => place);
  const columns = useColumns(show, (place) => choose([place]));
  return (
    <Panel
      title={t('system.letters.title')}
      actions={
        waiting.length > 0 && (
          <Button size="xs" variant="default" onClick={() => choose(waiting.slice(0, MOST_AT_ONCE))}>
            {t('system.letters.redriveAll', { count: Math.min(waiting.length, MOST_AT_ONCE) })}
          </Button>
        )
      }
    >
      <Answer query={query}>
        {() =>
          letters.length === 0 ? (
            <EmptyState>{t('system.letters.none')}</EmptyState>
          ) : (
            <DataTable
              label={t('system.letters.title')}
              columns={columns}
              rows={letters}
              keyOf={({ place }) => place}
            />
          )
        }
      </Answer>
      {query.hasNextPage && (
        <Group justify="center" mt="xs">
          <Button
            size="xs"
            variant="subtle"
            loading={query.isFetchingNextPage}
            onClick={() => void query.fetchNextPage()}
          >
            {t('system.letters.older')}
          </Button>
        </Group>
      )}
      {shown !== undefined && <LetterModal place={shown} onClose={() => show(undefined)} />}
      {chosen !== undefined && <RedriveModal places={chosen} onClose={() => choose(undefined)} />}
    </Panel>
  );
}

function useColumns(onShow: (place: string) => void, onRedrive: (place: string) => void): Column<DeadLetterSummary>[] {
  const { t } = useTranslation();
  const { instant } = useFormat();
  return [
    { key: 'time', title: t('system.letters.time'), cell: ({ time }) => instant(time) },
    {
      key: 'reason',
      title: t('system.letters.reason'),
      cell: ({ reason, detail }) => <ReasonCell reason={reason} detail={detail} />,
    },
    {
      key: 'state',
      title: t('system.letters.state.title'),
      cell: ({ state }) => (
        <Badge variant="dot" color={COLORS[state]}>
          {t(`system.letters.state.${state}`)}
        </Badge>
      ),
    },
    { key: 'place', title: t('system.letters.place'), isExtra: true, cell: ({ place }) => place },
    {
      key: 'actions',
      title: '',
      cell: ({ place }) => (
        <Group gap={4} justify="flex-end" wrap="nowrap">
          <Button
            size="compact-xs"
            variant="subtle"
            onClick={() => onShow(place)}
            aria-label={t('system.letters.readOne', { place })}
          >
            {t('system.letters.read')}
          </Button>
          <Button
            size="compact-xs"
            variant="subtle"
            onClick={() => onRedrive(place)}
            aria-label={t('system.letters.redriveOne', { place })}
          >
            {t('system.letters.redrive')}
          </Button>
        </Group>
      ),
    },
  ];
}

function ReasonCell({ reason, detail }: Pick<DeadLetterSummary, 'reason' | 'detail'>) {
  return (
    <>
      <Text size="sm" className="foreign">
        {reason}
      </Text>
      <Text size="xs" c="dimmed" className="foreign">
        {detail}
      </Text>
    </>
  );
}
