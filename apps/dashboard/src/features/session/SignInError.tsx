import { Alert } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import { problemCode } from '../../api/problems.js';
import { useErrorText } from '../../ui/ErrorState.js';

const KNOWN = [
  'invalid-credentials',
  'too-many-codes',
  'signed-out',
  'missing-authentication',
  'invite-not-found',
] as const;

export function SignInError({ error }: { error: unknown }) {
  const { t } = useTranslation();
  const textOf = useErrorText();
  const code = problemCode(error);
  const known = KNOWN.find((one) => one === code);
  return (
    <Alert color="red" variant="light" role="alert">
      {known === undefined ? textOf(error) : t(`session.problem.${known}`)}
    </Alert>
  );
}
