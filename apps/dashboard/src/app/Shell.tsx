import { ActionIcon } from '@mantine/core';
import { Link, Outlet, useNavigate, useRouter } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';

import { onSignedOut, queryClient } from '../api/query-client.js';
import { BulkElsewhere, BulkProvider } from '../features/bulk/BulkProvider.js';
import { useUser } from '../features/session/session.js';
import { Icon } from '../ui/icons.js';
import { NAVIGATION } from './navigation.js';
import classes from './shell.module.css';

/** What is around every page of somebody who is signed in. @public */
export function Shell() {
  const { t } = useTranslation();
  const [isOpen, setOpen] = useState(false);
  const { subscribe } = useRouter();
  useEffect(() => subscribe('onResolved', () => setOpen(false)), [subscribe]);
  useSignInWhenEnded();
  return (
    <div className={classes.shell}>
      <a className={classes.skip} href="#content" onClick={focusContent}>
        {t('common.skip')}
      </a>
      <header className={`${classes.bar} no-print`}>
        <Link to="/" className={classes.brand}>
          <img src="./icon.svg" alt="" width={28} height={28} />
          Hopcount
        </Link>
        <div className={classes.account}>
          <Account />
          <ActionIcon
            className={classes.burger}
            variant="subtle"
            color="gray"
            size="lg"
            aria-label={t('common.menu')}
            aria-expanded={isOpen}
            aria-controls="navigation"
            onClick={() => setOpen(!isOpen)}
          >
            <Icon name={isOpen ? 'close' : 'menu'} />
          </ActionIcon>
        </div>
      </header>
      <Navigation isOpen={isOpen} />
      <main id="content" className={classes.content} tabIndex={-1}>
        <BulkProvider>
          <BulkElsewhere />
          <Outlet />
        </BulkProvider>
      </main>
    </div>
  );
}

function Account() {
  const { name, email } = useUser();
  return (
    <Link to="/profile" className={classes.person} title={email}>
      <bdi>{name}</bdi>
    </Link>
  );
}

function Navigation({ isOpen }: { isOpen: boolean }) {
  const { t } = useTranslation();
  const user = useUser();
  const entries = NAVIGATION.filter(({ isFor }) => isFor === undefined || isFor(user));
  return (
    <nav id="navigation" className={classes.navigation} data-open={isOpen} aria-label={t('common.menu')}>
      {entries.map(({ to, title, icon }) => (
        <Link key={to} to={to} className={classes.entry} activeOptions={{ exact: to === '/', includeSearch: false }}>
          <Icon name={icon} />
          {t(`common.navigation.${title}`)}
        </Link>
      ))}
    </nav>
  );
}

/** `#content` would be looked up from <base>, not from this page. */
function focusContent(event: { preventDefault: () => void }): void {
  event.preventDefault();
  document.getElementById('content')?.focus();
}

function useSignInWhenEnded(): void {
  const navigate = useNavigate();
  const router = useRouter();
  useEffect(
    () =>
      onSignedOut(() => {
        const { href, pathname } = router.state.location;
        if (pathname === '/sign-in') return;
        queryClient.clear();
        void navigate({ to: '/sign-in', search: { returnTo: href } });
      }),
    [navigate, router],
  );
}
