import { Badge, Code, Group, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import { Answer } from '../../ui/Answer.js';
import { useFormat } from '../../ui/use-format.js';
import { useFilterText } from '../view/use-filter-text.js';
import { AnswerMarks } from '../statistics/AnswerMarks.js';
import classes from './evidence.module.css';
import type { toExplainQuestion } from './explained.js';
import { type Proof, useProof } from './queries.js';

/** Of which visits the number was made: how many, their checksum, and where they were read from. */
export function ProofPart({ asked }: { asked: ReturnType<typeof toExplainQuestion> }) {
  const { t } = useTranslation();
  const textOf = useFilterText();
  const filters = asked['filter[]'] ?? [];
  return (
    <section aria-label={t('evidence.proof')}>
      {filters.length > 0 && (
        <Text size="sm" mb="xs" className="foreign">
          {filters.map((filter) => textOf(filter)).join(' · ')}
        </Text>
      )}
      <Answer query={useProof(asked)} height={190}>
        {(proof) => <ProofOf proof={proof} />}
      </Answer>
    </section>
  );
}

function ProofOf({ proof }: { proof: Proof }) {
  const { t } = useTranslation();
  const { count, instant } = useFormat(proof.timeZone);
  const { used, rows, buckets, quarterHours, agree, readFrom } = proof;
  const said = [
    [t('evidence.range'), `${instant(proof.startDate)} – ${instant(proof.endDate)}`],
    [t('evidence.checksum'), <Code key="code">{used.checksum}</Code>],
    [
      t(proof.comparedOf === 'all' ? 'evidence.quarterHoursOfAll' : 'evidence.quarterHours'),
      `${instant(quarterHours.startDate)} – ${instant(quarterHours.endDate)}`,
    ],
    [t('evidence.rows'), <Sum key="rows" sum={rows} />],
    [t('evidence.buckets'), <Sum key="buckets" sum={buckets} />],
    [
      t('evidence.readFrom'),
      t('evidence.readFromText', {
        days: count(readFrom.days),
        files: count(readFrom.files),
        hours: count(readFrom.ledgerHours),
      }),
    ],
  ] as const;
  return (
    <>
      <Group gap="sm" align="baseline">
        <span className={classes.used} data-proof="visits">
          {t('evidence.visits', { count: used.visits, number: count(used.visits) })}
        </span>
        <Badge color={agree ? 'green' : 'red'} variant="dot">
          {t(agree ? 'evidence.agree' : 'evidence.differ')}
        </Badge>
      </Group>
      <dl className={classes.facts}>
        {said.map(([title, value]) => (
          <div key={title}>
            <dt>{title}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      <AnswerMarks state={proof} />
    </>
  );
}

function Sum({ sum: { visits, checksum } }: { sum: Proof['used'] }) {
  const { count } = useFormat();
  return (
    <>
      {count(visits)} <Code>{checksum}</Code>
    </>
  );
}
