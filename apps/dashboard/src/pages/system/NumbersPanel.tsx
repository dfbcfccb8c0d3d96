import { Group, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import { Panel } from '../../ui/Panel.js';
import { useFormat } from '../../ui/use-format.js';
import { spooledVisits } from './findings.js';
import type { System } from './system.js';

export function NumbersPanel({ system }: { system: System }) {
  const { t } = useTranslation();
  const { count, instant } = useFormat();
  const { counting, uncounted, deadLetters, lost, audits, archive, gateways } = system;
  const numberOf = (value: number | undefined) => (value === undefined ? t('system.unknown') : count(value));
  const countedUpTo = counting === null ? undefined : counting.countedUpTo;
  const numbers = [
    [
      'countedUpTo',
      countedUpTo === undefined || countedUpTo === null ? t('system.unknown') : instant(countedUpTo, 'exact'),
    ],
    ['pending', numberOf(counting?.pending)],
    ['spooled', numberOf(spooledVisits(gateways))],
    ['uncounted', numberOf(uncounted?.visits)],
    ['deadLetters', numberOf(deadLetters?.waiting)],
    ['lost', numberOf(lost?.records)],
    ['missing', numberOf(audits?.missingVisits)],
    ['archived', numberOf(archive?.active.visits)],
  ] as const;
  return (
    <Panel title={t('system.numbers.title')}>
      <Group gap="xl" align="flex-start" component="dl" m={0}>
        {numbers.map(([name, text]) => (
          <div key={name}>
            <Text component="dt" size="xs" c="dimmed">
              {t(`system.numbers.${name}`)}
            </Text>
            <Text component="dd" m={0} fw={600} data-number={name}>
              {text}
            </Text>
          </div>
        ))}
      </Group>
    </Panel>
  );
}
