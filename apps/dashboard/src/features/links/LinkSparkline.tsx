import { answerOf } from '@hopcount/client';
import { useInViewport } from '@mantine/hooks';
import { useTranslation } from 'react-i18next';

import { api } from '../../api/client.js';
import { useApi } from '../../api/use-api.js';
import { Sparkline } from '../../ui/Sparkline.js';
import type { ShortUrl } from './links.js';

const ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone;

/** Thirty days of one link; asked for once its row is seen. */
export function LinkSparkline({ link: { shortCode, domain, shortUrl } }: { link: ShortUrl }) {
  const { t } = useTranslation();
  const { ref, inViewport } = useInViewport();
  const query = {
    shortCode,
    range: 'last30days',
    interval: 'day',
    timeZone: ZONE,
    ...(domain !== null && { domain }),
  } as const;
  const { data } = useApi(
    ['statistics', 'series', query],
    (signal) => answerOf(api.GET('/rest/v3/statistics/series', { params: { query }, signal })),
    { enabled: inViewport },
  );
  return (
    <div ref={ref} style={{ width: 88, height: 22 }}>
      {data !== undefined && (
        <Sparkline values={data.series.map(({ visits }) => visits)} label={t('links.curveOf', { link: shortUrl })} />
      )}
    </div>
  );
}
