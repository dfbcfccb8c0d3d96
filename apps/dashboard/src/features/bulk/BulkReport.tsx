import { Button, Group, List, Paper, Progress, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import { useErrorText } from '../../ui/ErrorState.js';
import { useFormat } from '../../ui/use-format.js';
import type { ShortUrl } from '../links/links.js';
import type { Bulk, BulkRun } from './use-bulk.js';

const SHOWN_FAILURES = 20;

/** How far a change of many is; afterwards what it did, what failed and why. */
export function BulkReport({ run, bulk }: { run: BulkRun; bulk: Bulk }) {
  const { t } = useTranslation();
  const { count } = useFormat();
  const { action, total, done, failed, isRunning, isUndo } = run;
  const unchanged = done.filter(({ isChanged }) => !isChanged).length;
  const dealt = done.length + failed.length;
  const name = t(`bulk.${action.name}`);
  const numbers = {
    action: isUndo ? t('bulk.undone', { action: name }) : name,
    done: count(done.length),
    total: count(total),
  };
  return (
    <Paper withBorder p="sm" mb="sm" component="section" aria-label={t('bulk.report')}>
      <Group justify="space-between" gap="xs">
        <Text size="sm" fw={500} role="status">
          {t(isRunning ? 'bulk.running' : 'bulk.result', numbers)}
          {!isRunning && unchanged > 0 && ` ${t('bulk.unchanged', { count: unchanged, number: count(unchanged) })}`}
          {failed.length > 0 && ` ${t('bulk.failed', { count: failed.length, number: count(failed.length) })}`}
        </Text>
        <Group gap="xs">
          <Actions run={run} bulk={bulk} />
        </Group>
      </Group>
      {isRunning && <Progress mt="xs" value={(dealt / total) * 100} aria-label={name} />}
      <Failures failed={failed} />
    </Paper>
  );
}

function Actions({ run, bulk }: { run: BulkRun; bulk: Bulk }) {
  const { t } = useTranslation();
  const { done, failed, isRunning } = run;
  if (isRunning) {
    return (
      <Button size="compact-sm" variant="default" onClick={bulk.stop}>
        {t('bulk.stop')}
      </Button>
    );
  }
  const canUndo = done.some(({ undo }) => undo !== undefined);
  return (
    <>
      {failed.length > 0 && (
        <Button size="compact-sm" variant="default" onClick={() => bulk.retry(run)}>
          {t('bulk.retry')}
        </Button>
      )}
      {canUndo && (
        <Button size="compact-sm" variant="light" onClick={() => bulk.takeBack(run)}>
          {t('common.undo')}
        </Button>
      )}
      <Button size="compact-sm" variant="default" onClick={bulk.close}>
        {t('common.close')}
      </Button>
    </>
  );
}

function Failures({ failed }: { failed: readonly { item: ShortUrl; error: unknown }[] }) {
  const { t } = useTranslation();
  const { count } = useFormat();
  const textOf = useErrorText();
  if (failed.length === 0) return null;
  const more = failed.length - SHOWN_FAILURES;
  return (
    <List size="sm" mt="xs">
      {failed.slice(0, SHOWN_FAILURES).map(({ item, error }) => (
        <List.Item key={item.id} className="foreign">
          {item.shortUrl}: {textOf(error)}
        </List.Item>
      ))}
      {more > 0 && <List.Item>{t('bulk.more', { count: more, number: count(more) })}</List.Item>}
    </List>
  );
}
