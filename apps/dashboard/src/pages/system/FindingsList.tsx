import { Alert, Skeleton, Stack, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';

import { findingsOf } from './findings.js';
import { type System, useChecks } from './system.js';
import classes from './system.module.css';

/** Each thing that is wrong: what, and what to do about it. */
export function FindingsList({ system }: { system: System }) {
  const { t } = useTranslation();
  const { data, isPending } = useChecks();
  if (isPending) return <Skeleton height={52} aria-busy="true" />;
  const findings = findingsOf(system, data?.checks.data);
  if (findings.length === 0) {
    return (
      <Alert color="green" variant="light">
        {t('system.allWell')}
      </Alert>
    );
  }
  return (
    <Stack gap="xs">
      {findings.map(({ name, level, count }) => (
        <Alert
          key={name}
          color={level === 'bad' ? 'red' : 'yellow'}
          variant="light"
          classNames={{ title: classes.found, label: classes.found }}
          data-finding={name}
          title={t(`system.finding.${name}.what`, { count })}
        >
          <Text size="sm">
            {t(`system.finding.${name}.do`)} {name === 'surges' && <Link to="/hosts">{t('hosts.title')}</Link>}
          </Text>
        </Alert>
      ))}
    </Stack>
  );
}
