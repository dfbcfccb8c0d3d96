import { useSearch } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';

import { sendShareToken } from '../../api/client.js';
import { queryClient } from '../../api/query-client.js';
import { SharedView } from '../../features/sharing/shared-view.js';
import type { Scope } from '../../features/statistics/queries.js';
import { StatisticsPanels } from '../../features/statistics/Panels.js';
import { ViewBar } from '../../features/view/ViewBar.js';
import { PageHeader } from '../../ui/PageHeader.js';
import classes from './share-page.module.css';
import { isOtherToken } from './share-token.js';

/** The numbers of one view, for whoever has its link: of any time, without a way to anything else. @public */
export function SharePage() {
  const { t } = useTranslation();
  const { domain, tag, group, shortCode } = useSearch({ from: '/share' });
  // Before anything is asked, and nothing that a session was answered is shown here.
  const [token] = useState(openShared);
  useReloadFor(token);
  const scope = defined({ domain, tag, group, shortCode });
  const names = Object.values(scope);
  return (
    <SharedView value={true}>
      <main className={classes.page}>
        <PageHeader
          title={names.length === 0 ? t('sharing.shared') : names.join('/')}
          {...(names.length > 0 && { subtitle: t('sharing.shared') })}
        />
        <ViewBar />
        <StatisticsPanels {...(names.length > 0 && { scope })} />
      </main>
    </SharedView>
  );
}

/** It stays in the address, so that the page can be loaded again; no server is sent what is behind the `#`. */
function openShared(): string {
  const token = window.location.hash.slice(1);
  queryClient.clear();
  sendShareToken(token || 'none');
  return token;
}

/** Another share link of the same view, put into this tab, differs behind the `#` only: browsers load nothing for it. */
function useReloadFor(shown: string): void {
  useEffect(() => {
    const follow = () => {
      if (isOtherToken(window.location.hash, shown)) window.location.reload();
    };
    window.addEventListener('hashchange', follow);
    return () => window.removeEventListener('hashchange', follow);
  }, [shown]);
}

function defined(fields: Record<string, string | undefined>): Scope {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}
