import { Alert } from '@mantine/core';

import { useErrorText } from '../../ui/ErrorState.js';

export function SignInError({ error }: { error: unknown }) {
  const textOf = useErrorText();
  return (
    <Alert color="red" variant="light" role="alert">
      {textOf(error)}
    </Alert>
  );
}
