import { Button, Group, Loader, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import { useRemark } from '../../features/administration/use-remark.js';
import { Panel } from '../../ui/Panel.js';
import { useFormat } from '../../ui/use-format.js';
import { useStartVerification, type Verification } from './system.js';

const STATES = {
  waiting: 'waiting',
  running: 'running',
  paused: 'paused',
  'broken-off': 'brokenOff',
  done: 'done',
  mismatch: 'mismatch',
  failed: 'failed',
} as const;

export function VerificationPanel({ verification }: { verification: Verification | null }) {
  const { t } = useTranslation();
  const { instant, count } = useFormat();
  const start = useStartVerification();
  const onError = useRemark();
  const isOpen = verification !== null && verification.endedAt === null;
  return (
    <Panel
      title={t('system.verify.title')}
      actions={
        <Button
          size="xs"
          variant="default"
          disabled={isOpen}
          loading={start.isPending}
          onClick={() => start.mutate(undefined, { onError })}
        >
          {t('system.verify.start')}
        </Button>
      }
    >
      <Group gap="xs" role="status">
        {isOpen && <Loader size="xs" />}
        <Text size="sm" data-verification={verification?.state ?? 'never'}>
          {verification === null
            ? t('system.verify.never')
            : t(`system.verify.${STATES[verification.state]}`, {
                time: instant(verification.endedAt ?? verification.startedAt),
                step: verification.step ?? '',
                visits: count(verification.visits),
                differences: count(verification.differences),
                error: verification.error ?? '',
              })}
        </Text>
      </Group>
      <Text size="xs" c="dimmed" mt="xs">
        {t('system.verify.hint')}
      </Text>
    </Panel>
  );
}
