import { Button, Stack } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import { useUser } from '../../features/session/session.js';
import { useSignOut } from '../../features/session/use-sign-out.js';
import { ErrorState } from '../../ui/ErrorState.js';
import { PageHeader } from '../../ui/PageHeader.js';
import { PasswordPanel } from './PasswordPanel.js';
import { ProviderPanel } from './ProviderPanel.js';
import { SecondFactorPanel } from './SecondFactorPanel.js';
import { SessionsPanel } from './SessionsPanel.js';

/** Who is signed in, with what, and where. @public */
export function ProfilePage() {
  const { t } = useTranslation();
  const { name, email } = useUser();
  const signOut = useSignOut();
  return (
    <>
      <PageHeader title={name} subtitle={email}>
        <Button variant="default" loading={signOut.isPending} onClick={() => signOut.mutate({ everywhere: false })}>
          {t('session.signOut')}
        </Button>
      </PageHeader>
      <Stack maw="44rem">
        {signOut.isError && <ErrorState error={signOut.error} />}
        <PasswordPanel />
        <SecondFactorPanel />
        <ProviderPanel />
        <SessionsPanel onEverywhere={() => signOut.mutate({ everywhere: true })} />
      </Stack>
    </>
  );
}
