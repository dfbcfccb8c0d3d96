import { Badge, Box, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import { Answer } from '../../ui/Answer.js';
import { type Column, DataTable } from '../../ui/DataTable.js';
import { UNKNOWN } from '../../ui/format.js';
import { Panel } from '../../ui/Panel.js';
import { useFormat } from '../../ui/use-format.js';
import { ExplainButton } from '../evidence/ExplainButton.js';
import { withValue } from '../evidence/explained.js';
import type { LinkKey } from '../links/links.js';
import { useRules } from '../rules/rules.js';
import { type Matrix, type Scope, useMatrix } from '../statistics/queries.js';
import { StatisticMenu } from '../statistics/StatisticMenu.js';
import { useView } from '../view/use-view.js';
import { compareVariants, type Variant } from './compare-variants.js';
import type { Interval } from './wilson.js';

interface Props {
  link: LinkKey;
  /** Whose visits: those of the link. */
  scope: Scope;
}

/** Where visitors were split to, with what chance may make of the shares; nothing where they are not split. */
export function VariantsPanel({ link, scope }: Props) {
  const { data } = useRules(link);
  if (data === undefined || data.rules.split.length === 0) return null;
  return (
    <Box mb="md">
      <Variants scope={scope} split={data.rules.split} />
    </Box>
  );
}

function Variants({ scope, split }: { scope: Scope; split: { longUrl: string; weight: number }[] }) {
  const { t } = useTranslation();
  const { question } = useView();
  const columns = useColumns();
  const title = t('variants.title');
  const query = useMatrix({ ...scope, ...question }, 'route', 'class');
  return (
    <Panel title={title} actions={<StatisticMenu name="route" title={title} scope={scope} />}>
      <Answer query={query} height={160}>
        {(matrix) => (
          <DataTable
            label={title}
            rows={compareVariants(split, countedOf(matrix), matrix.rows.other.values > 0)}
            keyOf={({ route }) => route}
            columns={columns}
          />
        )}
      </Answer>
      <Text size="xs" c="dimmed" mt="xs">
        {t('variants.about')}
      </Text>
    </Panel>
  );
}

function useColumns(): Column<Variant>[] {
  const { t } = useTranslation();
  const { count } = useFormat();
  return [
    {
      key: 'route',
      title: t('variants.destination'),
      cell: ({ route, longUrl }) => <span className="foreign">{longUrl ?? `${route} (${t('variants.gone')})`}</span>,
    },
    {
      ...{ key: 'visits', title: t('statistics.visits'), isNumeric: true },
      cell: ({ route, visits }) =>
        visits === undefined ? (
          UNKNOWN
        ) : (
          <ExplainButton explained={withValue('route', route)}>{count(visits)}</ExplainButton>
        ),
    },
    {
      ...{ key: 'share', title: t('variants.share'), isNumeric: true },
      cell: ({ share, interval, isOff }) => <Share share={share} interval={interval} isOff={isOff} />,
    },
    {
      ...{ key: 'wanted', title: t('variants.wanted'), isNumeric: true, isExtra: true },
      cell: ({ wanted }) => <Share share={wanted} />,
    },
    {
      ...{ key: 'people', title: t('variants.people'), isNumeric: true, isExtra: true },
      cell: ({ people }) => <Share share={people.share} interval={people.interval} />,
    },
  ];
}

interface ShareProps {
  share: number | undefined;
  interval?: Interval | undefined;
  isOff?: boolean;
}

function Share({ share, interval, isOff = false }: ShareProps) {
  const { t } = useTranslation();
  const { share: shareOf } = useFormat();
  return (
    <>
      {share === undefined ? UNKNOWN : shareOf(share, 1)}{' '}
      {interval !== undefined && (
        <Text span size="xs" c="dimmed">
          {shareOf(interval.low, 1)} – {shareOf(interval.high, 1)}
        </Text>
      )}
      {isOff && (
        <Badge color="orange" variant="dot" ml="xs">
          {t('variants.off')}
        </Badge>
      )}
    </>
  );
}

function countedOf({ rows, columns, cells }: Matrix) {
  const human = columns.values.findIndex(({ value }) => value === 'human');
  return rows.values.map(({ value, visits }, row) => ({ value, visits, people: cells[row]?.[human] ?? 0 }));
}
