import { Badge, Group, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import { useFormat } from '../../ui/use-format.js';
import type { AnswerState } from './queries.js';

/** How far the numbers above can be believed: up to when, and what is missing. */
export function AnswerMarks({ state }: { state: AnswerState }) {
  const { t } = useTranslation();
  const { instant } = useFormat(state.timeZone);
  const { countedUpTo, pending, uncounted } = state;
  return (
    <Group gap="xs" mt="sm">
      <Text size="xs" c="dimmed">
        {countedUpTo === null
          ? t('statistics.marks.unknownFreshness')
          : t('statistics.marks.countedUpTo', { time: instant(countedUpTo, 'time') })}
        {pending !== null && pending > 0 && ` · ${t('statistics.marks.pending', { count: pending })}`}
      </Text>
      {uncounted > 0 && (
        <Badge color="red" variant="dot">
          {t('statistics.marks.uncounted', { count: uncounted })}
        </Badge>
      )}
      <InexactMark state={state} />
    </Group>
  );
}

/** Beside what is lower than it was, as visits of then are in no store any more; which hours, it says under the pointer. */
export function InexactMark({ state }: { state: Pick<AnswerState, 'timeZone' | 'exact' | 'inexact'> }) {
  const { t } = useTranslation();
  const { instant, count } = useFormat(state.timeZone);
  const { exact, inexact } = state;
  if (exact) return null;
  return (
    <Badge
      color="orange"
      variant="dot"
      h="auto"
      miw={0}
      maw="100%"
      styles={{ label: { whiteSpace: 'normal' } }}
      title={inexact.map(({ startDate, endDate }) => `${instant(startDate)} – ${instant(endDate)}`).join('\n')}
    >
      {t('statistics.marks.inexact', { ranges: count(inexact.length), count: inexact.length })}
    </Badge>
  );
}
