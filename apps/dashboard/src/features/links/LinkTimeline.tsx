import { Progress, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import { useFormat } from '../../ui/use-format.js';
import { momentsOf } from './timeline.js';
import type { ShortUrl } from './links.js';
import classes from './timeline.module.css';

/** A link's dates in their order, with now between them, and how much of its limit is used. */
export function LinkTimeline({ link }: { link: ShortUrl }) {
  const { t } = useTranslation();
  const { instant, count } = useFormat();
  const { maxVisits } = link.meta;
  const used = link.visitsSummary.total;
  return (
    <div className={classes.limits}>
      <ol className={classes.line} aria-label={t('links.timeline.title')}>
        {momentsOf(link, Date.now()).map(({ name, atMs, isPast }) => (
          <li key={name} className={classes.moment} data-past={isPast} data-now={name === 'now'}>
            <Text span size="xs" c="dimmed">
              {t(name === 'now' ? 'links.timeline.now' : `links.${name}`)}
            </Text>
            <Text span size="sm" fw={500}>
              {instant(new Date(atMs).toISOString())}
            </Text>
          </li>
        ))}
      </ol>
      {maxVisits !== null && (
        <div className={classes.used}>
          <Text size="xs" c="dimmed">
            {t('links.timeline.used', { used: count(used), most: count(maxVisits) })}
          </Text>
          <Progress
            value={Math.min((used / maxVisits) * 100, 100)}
            color={used >= maxVisits ? 'orange' : undefined}
            aria-label={t('links.maxVisits')}
          />
        </div>
      )}
    </div>
  );
}
