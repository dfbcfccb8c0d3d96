import { Badge } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import { useFormat } from '../../ui/use-format.js';
import { useValueName } from '../statistics/value-name.js';
import classes from './evidence.module.css';
import type { ExplainedVisit } from './queries.js';

interface Props {
  visits: readonly ExplainedVisit[];
  timeZone: string;
  hasLink: boolean;
}

/** A line for each visit, which opens all that is kept of it. */
export function VisitsList({ visits, timeZone, hasLink }: Props) {
  return (
    <ul className={classes.visits}>
      {visits.map((visit) => (
        <li key={visit.eventId}>
          <details>
            <summary>
              <Line visit={visit} timeZone={timeZone} hasLink={hasLink} />
            </summary>
            <Facts visit={visit} />
          </details>
        </li>
      ))}
    </ul>
  );
}

function Line({ visit, timeZone, hasLink }: { visit: ExplainedVisit } & Omit<Props, 'visits'>) {
  const { instant } = useFormat(timeZone);
  const { t } = useTranslation();
  const nameOf = useValueName();
  const known = (dimension: 'city' | 'country' | 'browser' | 'os' | 'device') =>
    visit[dimension] === 'unknown' ? [] : [nameOf(dimension, visit[dimension])];
  const link = visit.shortUrl?.replace(/^https?:\/\//, '') ?? t('statistics.deletedLink');
  return (
    <>
      <time dateTime={visit.date}>{instant(visit.date, 'exact')}</time>
      <Badge variant="light" color={visit.class === 'human' ? 'cyan' : 'gray'}>
        {nameOf('class', visit.class)}
      </Badge>
      {hasLink && <span className="foreign">{link}</span>}
      <span className="foreign">{[...known('city'), ...known('country')].join(', ')}</span>
      <span className="foreign">{[...known('browser'), ...known('os'), ...known('device')].join(' · ')}</span>
      <span className="foreign">{nameOf('referrer', visit.referrer)}</span>
    </>
  );
}

/** In this order; what is not known of a visit is not listed. */
const FACTS = [
  ...(['classReason', 'channel', 'route', 'destination', 'referrerUrl', 'userAgent', 'region', 'language'] as const),
  ...(['network', 'osVersion', 'browserVersion', 'group', 'importedFrom'] as const),
] as const;

function Facts({ visit }: { visit: ExplainedVisit }) {
  const { t } = useTranslation();
  const nameOf = useValueName();
  const utm = Object.entries(visit.utm ?? {}).filter(([, value]) => value !== null);
  const facts: [string, string][] = [
    ...FACTS.flatMap((name): [string, string][] => {
      const value = visit[name];
      if (value === null || value === 'unknown' || value === '') return [];
      return [
        [name === 'userAgent' ? t('evidence.userAgent') : t(`statistics.dimension.${name}`), nameOf(name, value)],
      ];
    }),
    ...utm.map(([name, value]): [string, string] => [`utm_${name}`, value ?? '']),
    ...(visit.truncated.length > 0 ? [[t('evidence.truncated'), visit.truncated.join(', ')] as [string, string]] : []),
    ...(visit.visitor == null ? [] : [[t('evidence.visitor'), visit.visitor] as [string, string]]),
    [t('evidence.eventId'), visit.eventId],
    [t('evidence.source'), visit.source],
    [t('evidence.enrichment'), String(visit.enrichmentVersion)],
  ];
  return (
    <dl className={classes.facts}>
      {facts.map(([title, value]) => (
        <div key={title}>
          <dt>{title}</dt>
          <dd className="foreign">{value}</dd>
        </div>
      ))}
    </dl>
  );
}
