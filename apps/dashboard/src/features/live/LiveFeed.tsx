import { Badge, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';

import { countryName } from '../../ui/format.js';
import { useFormat } from '../../ui/use-format.js';
import type { Scope } from '../statistics/queries.js';
import classes from './live.module.css';
import { FED_AT_MOST, type Feed, useLiveFeed } from './use-live.js';

interface Props {
  scope: Scope;
  hasFilters: boolean;
}

/** Visits as they come, since the page is open. */
export function LiveFeed({ scope, hasFilters }: Props) {
  const { t } = useTranslation();
  const { feed, state } = useLiveFeed(scope);
  return (
    <>
      <Text size="xs" c="dimmed">
        {t(hasFilters ? 'live.feedOfAll' : 'live.feed', { count: FED_AT_MOST })}
        {state === 'broken' && ` ${t('live.feedBroken')}`}
        {feed.hasGap && ` ${t('live.gap')}`}
      </Text>
      {/* Focusable: it scrolls. */}
      <ul className={classes.feed} tabIndex={0} aria-label={t('live.feedLabel')}>
        {feed.visits.length === 0 && <li>{t('live.noneYet')}</li>}
        {feed.visits.map((fed) => (
          <FedLine key={fed.visit.eventId} fed={fed} />
        ))}
      </ul>
    </>
  );
}

function FedLine({ fed: { shortUrl, visit } }: { fed: Feed['visits'][number] }) {
  const { t } = useTranslation();
  const { instant, language } = useFormat();
  const { visitLocation } = visit;
  const place = [visitLocation?.cityName, countryName(visitLocation?.countryCode ?? '', language)].filter(
    (name) => name !== undefined && name !== '' && name !== 'Unknown',
  );
  return (
    <li>
      <time dateTime={visit.date}>{instant(visit.date, 'time')}</time>{' '}
      {shortUrl !== undefined && (
        <Link
          to="/links/$code"
          params={{ code: shortUrl.shortCode }}
          search={shortUrl.domain === null ? {} : { domain: shortUrl.domain }}
          className="foreign"
        >
          {shortUrl.shortUrl.replace(/^https?:\/\//, '')}
        </Link>
      )}{' '}
      {visit.potentialBot && (
        <Badge size="xs" variant="light" color="gray">
          {t('statistics.class.bot')}
        </Badge>
      )}{' '}
      <span className="foreign">{place.join(', ')}</span>{' '}
      <Text span size="xs" c="dimmed" className="foreign">
        {visit.referer}
      </Text>
    </li>
  );
}
