import { Button, PasswordInput, Stack, Text, TextInput } from '@mantine/core';
import { answerOf } from '@hopcount/client';
import { useMutation } from '@tanstack/react-query';
import { useRouter, useSearch } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';

import { api } from '../../api/client.js';
import { problemCode } from '../../api/problems.js';
import { queryClient } from '../../api/query-client.js';
import { BASE_PATH } from '../../app/base-path.js';
import { HAS_PROVIDER } from '../../app/has-provider.js';
import { EntryPage } from '../../features/session/EntryPage.js';
import { formText } from '../../features/session/form-text.js';
import { SignInError } from '../../features/session/SignInError.js';
import { sessionQuery } from '../../features/session/session.js';
import { safeReturnTo } from './return-to.js';

const CODE_CODES = ['second-factor-required', 'too-many-codes'];

/** Goes where somebody wanted to go once the browser has kept the session. */
function useSignIn(onCodeNeeded: () => void) {
  const router = useRouter();
  const { returnTo } = useSearch({ from: '/sign-in' });
  return useMutation({
    mutationFn: (body: { email: string; password: string; code?: string }) =>
      answerOf(api.POST('/rest/v3/session', { body })),
    onSuccess: async () => {
      // What the browser did not keep is no session.
      queryClient.clear();
      await queryClient.fetchQuery(sessionQuery);
      router.history.push(safeReturnTo(returnTo, BASE_PATH));
    },
    onError: (error) => {
      if (CODE_CODES.includes(problemCode(error) ?? '')) onCodeNeeded();
    },
  });
}

/** @public */
export function SignInPage() {
  const { t } = useTranslation();
  const [needsCode, setNeedsCode] = useState(false);
  const signIn = useSignIn(() => setNeedsCode(true));
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const text = (name: string) => formText(form, name);
    const code = text('code').replaceAll(/\s/g, '');
    signIn.mutate({ email: text('email'), password: text('password'), ...(code !== '' && { code }) });
  };
  const asksForCode = signIn.isError && problemCode(signIn.error) === 'second-factor-required';
  return (
    <EntryPage title={t('session.signIn')}>
      <form onSubmit={submit}>
        <Stack>
          <TextInput name="email" type="email" label={t('session.email')} autoComplete="username" required autoFocus />
          <PasswordInput
            name="password"
            label={t('session.password')}
            autoComplete="current-password"
            required
            visibilityToggleButtonProps={{ 'aria-label': t('session.showPassword') }}
          />
          {needsCode && (
            <TextInput
              name="code"
              label={t('session.code')}
              description={t('session.codeHint')}
              autoComplete="one-time-code"
              required
              autoFocus
            />
          )}
          {signIn.isError && !asksForCode && <SignInError error={signIn.error} />}
          <Button type="submit" loading={signIn.isPending}>
            {t('session.signIn')}
          </Button>
          {HAS_PROVIDER && <ProviderButton />}
        </Stack>
      </form>
    </EntryPage>
  );
}

/** A link: the browser leaves this page, and comes back signed in. */
function ProviderButton() {
  const { t } = useTranslation();
  const { returnTo } = useSearch({ from: '/sign-in' });
  const query = new URLSearchParams({ returnTo: safeReturnTo(returnTo, BASE_PATH) });
  return (
    <>
      <Text size="sm" c="dimmed" ta="center">
        {t('session.or')}
      </Text>
      <Button component="a" variant="default" href={`${BASE_PATH}/rest/v3/session/oidc?${query.toString()}`}>
        {t('session.withProvider')}
      </Button>
    </>
  );
}
