import { Alert, Button, Text } from '@mantine/core';
import { HopcountProblem } from '@hopcount/client';
import { useTranslation } from 'react-i18next';

import { problemCode } from '../api/problems.js';

/** Those that have texts of their own. */
const KNOWN = [
  ...(['invalid-credentials', 'too-many-codes', 'signed-out', 'missing-authentication', 'invite-not-found'] as const),
  ...(['share-link-ended', 'second-factor-required', 'sign-in-unavailable'] as const),
] as const;

/** What went wrong, in words somebody can do something with. */
export function useErrorText(): (error: unknown) => string {
  const { t } = useTranslation();
  return (error) => {
    if (!(error instanceof HopcountProblem)) return t('common.error.noAnswer');
    const { status, problem } = error;
    const code = problemCode(error);
    const known = KNOWN.find((one) => one === code);
    if (known !== undefined) return t(`session.problem.${known}`);
    if (status === 403) return t('common.error.forbidden');
    if (status === 429) return t('common.error.tooMany');
    if (problem === undefined || status >= 500) return t('common.error.server', { status });
    const reasons = problem.reasons?.map(({ reason }) => reason) ?? [];
    return reasons.length > 0 ? reasons.join(' ') : problem.detail;
  };
}

interface Props {
  error: unknown;
  /** What was known before is still shown. */
  isOld?: boolean;
  /** For what is shown; without it, it is a change that was refused, which is tried again by its own button. */
  onRetry?: (() => void) | undefined;
}

export function ErrorState({ error, isOld = false, onRetry }: Props) {
  const { t } = useTranslation();
  const textOf = useErrorText();
  return (
    <Alert
      color="red"
      variant="light"
      role="alert"
      title={t(isOld ? 'common.error.old' : onRetry === undefined ? 'common.error.notDone' : 'common.error.title')}
    >
      <Text size="sm">{textOf(error)}</Text>
      {onRetry !== undefined && (
        <Button mt="xs" size="xs" variant="default" onClick={onRetry}>
          {t('common.retry')}
        </Button>
      )}
    </Alert>
  );
}
