import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';

import { Answer } from '../../ui/Answer.js';
import { Panel } from '../../ui/Panel.js';
import { ofLink } from '../evidence/explained.js';
import { useIsShared } from '../sharing/shared-view.js';
import { useView } from '../view/use-view.js';
import { type Scope, useVisitedLinks } from './queries.js';
import { EIGHT_ROWS_PX, RankedRows } from './RankedRows.js';
import { StatisticMenu } from './StatisticMenu.js';
import classes from './statistics.module.css';

const ROWS = 8;

/** The short URLs with the most visits; each leads to its page. */
export function LinksPanel({ scope = {} }: { scope?: Scope }) {
  const { t } = useTranslation();
  const { question } = useView();
  const isShared = useIsShared();
  const query = useVisitedLinks({ ...scope, ...question }, { itemsPerPage: ROWS });
  const title = t('statistics.topLinks');
  return (
    <Panel title={title} actions={<StatisticMenu name="links" title={title} />}>
      <Answer query={query} height={EIGHT_ROWS_PX} keepsHeight>
        {({ links, other, visits }) => (
          <RankedRows
            title={t('links.shortUrl')}
            visits={visits}
            other={other}
            whole={{ name: 'links', scope }}
            rows={links.data.map(({ shortCode, domain, shortUrl, visits: count }, index) => ({
              key: shortUrl ?? `deleted-${index}`,
              visits: count,
              ...(shortCode !== null && { explained: ofLink(shortCode, domain) }),
              name:
                shortCode === null || isShared ? (
                  <span className={classes.name}>{shortUrl ?? t('statistics.deletedLink')}</span>
                ) : (
                  <Link
                    className={`${classes.name} ${classes.link}`}
                    to="/links/$code"
                    params={{ code: shortCode }}
                    search={domain === null ? {} : { domain }}
                    title={shortUrl ?? shortCode}
                  >
                    <LinkName shortUrl={shortUrl} shortCode={shortCode} />
                  </Link>
                ),
            }))}
          />
        )}
      </Answer>
    </Panel>
  );
}

/** What tells links of one domain apart stays in sight where there is little room. */
function LinkName({ shortUrl, shortCode }: { shortUrl: string | null; shortCode: string }) {
  const text = shortUrl?.replace(/^https?:\/\//, '') ?? shortCode;
  const at = text.indexOf('/');
  return at < 0 ? (
    <bdi>{text}</bdi>
  ) : (
    <>
      <bdi className={classes.domain}>{text.slice(0, at)}</bdi>
      <bdi className={classes.code}>{text.slice(at)}</bdi>
    </>
  );
}
