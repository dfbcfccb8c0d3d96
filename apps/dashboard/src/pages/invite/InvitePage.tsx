import { Button, PasswordInput, Stack, Text, TextInput } from '@mantine/core';
import { answerOf } from '@hopcount/client';
import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';

import { api } from '../../api/client.js';
import { queryClient } from '../../api/query-client.js';
import { EntryPage } from '../../features/session/EntryPage.js';
import { formText } from '../../features/session/form-text.js';
import { SignInError } from '../../features/session/SignInError.js';
import { sessionQuery } from '../../features/session/session.js';

const MIN_LENGTH = 12;
const MAX_LENGTH = 256;

/** What the links of invites, of the first owner and for another password open; the token is behind the `#`. @public */
export function InvitePage() {
  const { t } = useTranslation();
  const navigate = useNavigate();
  // The address loses it as soon as it has worked: a link that is shared then gives nothing away.
  const [token] = useState(() => window.location.hash.slice(1));
  const accept = useMutation({
    mutationFn: (body: { token: string; password: string; email?: string; name?: string }) =>
      answerOf(api.POST('/rest/v3/users/accept', { body })),
    onSuccess: async () => {
      queryClient.clear();
      await queryClient.fetchQuery(sessionQuery);
      await navigate({ to: '/', replace: true });
    },
  });
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const [email, name] = [formText(form, 'email').trim(), formText(form, 'name').trim()];
    const password = formText(form, 'password');
    accept.mutate({ token, password, ...(email !== '' && { email }), ...(name !== '' && { name }) });
  };
  return (
    <EntryPage title={t('session.invite.title')}>
      <form onSubmit={submit}>
        <Stack>
          <Text size="sm" c="dimmed">
            {t('session.invite.hint')}
          </Text>
          <TextInput name="email" type="email" label={t('session.email')} autoComplete="username" />
          <TextInput name="name" label={t('session.name')} autoComplete="name" />
          <PasswordInput
            name="password"
            label={t('session.password')}
            description={t('session.invite.length', { length: MIN_LENGTH })}
            autoComplete="new-password"
            minLength={MIN_LENGTH}
            maxLength={MAX_LENGTH}
            required
            visibilityToggleButtonProps={{ 'aria-label': t('session.showPassword') }}
          />
          {accept.isError && <SignInError error={accept.error} />}
          <Button type="submit" loading={accept.isPending}>
            {t('session.invite.accept')}
          </Button>
        </Stack>
      </form>
    </EntryPage>
  );
}
