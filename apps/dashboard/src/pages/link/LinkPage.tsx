import { Anchor } from '@mantine/core';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';

import { LinkBadge } from '../../features/links/LinkBadge.js';
import { LinkMenu } from '../../features/links/LinkMenu.js';
import { type ShortUrl, useLink } from '../../features/links/links.js';
import { safeHref } from '../../features/links/safe-href.js';
import { StatisticsPanels } from '../../features/statistics/Panels.js';
import { ViewBar } from '../../features/view/ViewBar.js';
import { Answer } from '../../ui/Answer.js';
import { PageHeader } from '../../ui/PageHeader.js';
import { useFormat } from '../../ui/use-format.js';

/** The overview of one link, and its limits. @public */
export function LinkPage() {
  const { code } = useParams({ from: '/signed-in/links/$code' });
  const { domain } = useSearch({ from: '/signed-in/links/$code' });
  const query = useLink({ shortCode: code, domain: domain ?? null });
  return (
    <Answer query={query} height={600}>
      {({ link }) => (
        <>
          <Header link={link} />
          <Limits link={link} />
          <ViewBar />
          <StatisticsPanels
            scope={{ shortCode: link.shortCode, ...(link.domain !== null && { domain: link.domain }) }}
          />
        </>
      )}
    </Answer>
  );
}

function Header({ link }: { link: ShortUrl }) {
  const navigate = useNavigate();
  const href = safeHref(link.longUrl);
  return (
    <PageHeader
      title={link.title ?? link.shortUrl.replace(/^https?:\/\//, '')}
      subtitle={
        <>
          <bdi>{link.shortUrl}</bdi> →{' '}
          {href === undefined ? (
            <bdi>{link.longUrl}</bdi>
          ) : (
            <Anchor href={href} rel="noopener noreferrer nofollow" target="_blank" inherit>
              <bdi>{link.longUrl}</bdi>
            </Anchor>
          )}
        </>
      }
    >
      <LinkBadge link={link} />
      <LinkMenu link={link} onDeleted={() => void navigate({ to: '/links' })} />
    </PageHeader>
  );
}

/** Only those that there are. */
function Limits({ link }: { link: ShortUrl }) {
  const { t } = useTranslation();
  const { instant, count } = useFormat();
  const { validSince, validUntil, maxVisits } = link.meta;
  const limits = [
    [t('links.created'), instant(link.dateCreated)],
    validSince !== null && [t('links.validSince'), instant(validSince)],
    validUntil !== null && [t('links.validUntil'), instant(validUntil)],
    maxVisits !== null && [t('links.maxVisits'), `${count(link.visitsSummary.total)} / ${count(maxVisits)}`],
  ].filter((limit) => limit !== false);
  return (
    <dl style={{ display: 'flex', flexWrap: 'wrap', gap: '0.25rem 1.5rem', margin: '0 0 1rem' }}>
      {limits.map(([title, value]) => (
        <div key={title} style={{ display: 'flex', gap: '0.4rem' }}>
          <dt>{title}:</dt>
          <dd style={{ margin: 0, fontWeight: 600 }}>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
