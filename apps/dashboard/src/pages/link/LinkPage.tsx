import { Anchor } from '@mantine/core';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';

import { LinkBadge } from '../../features/links/LinkBadge.js';
import { LinkMenu } from '../../features/links/LinkMenu.js';
import { LinkPlace } from '../../features/links/LinkPlace.js';
import { LinkTimeline } from '../../features/links/LinkTimeline.js';
import { type LinkKey, type ShortUrl, useLink } from '../../features/links/links.js';
import { safeHref } from '../../features/links/safe-href.js';
import { useRules } from '../../features/rules/rules.js';
import { RulesPanel } from '../../features/rules/RulesPanel.js';
import { ShareButton } from '../../features/sharing/ShareButton.js';
import { StatisticsPanels } from '../../features/statistics/Panels.js';
import { VariantsPanel } from '../../features/variants/VariantsPanel.js';
import { ViewBar } from '../../features/view/ViewBar.js';
import { Answer } from '../../ui/Answer.js';
import { PageHeader } from '../../ui/PageHeader.js';

/** The overview of one link, and its limits. @public */
export function LinkPage() {
  const { code } = useParams({ from: '/signed-in/links/$code' });
  const { domain } = useSearch({ from: '/signed-in/links/$code' });
  const key = { shortCode: code, domain: domain ?? null };
  // Nothing of one link, neither its answers nor an open form, is there on the page of another.
  return <LinkOverview key={JSON.stringify(key)} linkKey={key} />;
}

function LinkOverview({ linkKey }: { linkKey: LinkKey }) {
  const query = useLink(linkKey);
  // Shown together: what stands below the rules would move when they come.
  const { isPending } = useRules(linkKey);
  return (
    <Answer query={isPending ? { ...query, data: undefined } : query} height={600}>
      {({ link }) => (
        <>
          <Header link={link} />
          <LinkTimeline link={link} />
          <RulesPanel link={link} />
          <ViewBar />
          <VariantsPanel link={link} scope={scopeOf(link)} />
          <StatisticsPanels scope={scopeOf(link)} />
        </>
      )}
    </Answer>
  );
}

function scopeOf({ shortCode, domain }: ShortUrl) {
  return { shortCode, ...(domain !== null && { domain }) };
}

function Header({ link }: { link: ShortUrl }) {
  const { t } = useTranslation();
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
          <LinkPlace link={link} />
        </>
      }
    >
      <LinkBadge link={link} />
      <ShareButton scope={{ shortCode: link.shortCode, ...(link.domain !== null && { domain: link.domain }) }} />
      <Link
        to="/links/$code/visits"
        params={{ code: link.shortCode }}
        search={link.domain === null ? {} : { domain: link.domain }}
      >
        {t('evidence.list')}
      </Link>
      <LinkMenu link={link} onDeleted={() => void navigate({ to: '/links' })} />
    </PageHeader>
  );
}
