import { Button, Group, NativeSelect, TextInput } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import type { FormEvent } from 'react';
import { useTranslation } from 'react-i18next';

import { RANGES } from '../../features/view/view.js';
import { ACTOR_KINDS, type AuditAsked, KINDS, parseAsked } from './audit-query.js';

/** All of it goes to the address at once. */
export function AuditFilters({ asked }: { asked: AuditAsked }) {
  const { t } = useTranslation();
  const navigate = useNavigate({ from: '/audit-log' });
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    void navigate({ search: parseAsked(Object.fromEntries(new FormData(event.currentTarget))) });
  };
  const isFiltered = Object.keys(asked).some((name) => name !== 'after');
  return (
    <form onSubmit={submit} key={JSON.stringify({ ...asked, after: undefined })} className="no-print">
      <Group gap="sm" align="flex-end">
        <Things asked={asked} />
        <NativeSelect
          name="range"
          size="xs"
          label={t('statistics.range.label')}
          defaultValue={asked.range ?? ''}
          data={[
            { value: '', label: t('auditLog.any') },
            ...RANGES.map((value) => ({ value, label: t(`statistics.range.${value}`) })),
          ]}
        />
        <TextInput name="firstDay" type="date" size="xs" label={t('auditLog.firstDay')} defaultValue={asked.firstDay} />
        <TextInput name="lastDay" type="date" size="xs" label={t('auditLog.lastDay')} defaultValue={asked.lastDay} />
        <Button type="submit" size="xs">
          {t('auditLog.filter')}
        </Button>
        {isFiltered && (
          <Button size="xs" variant="default" onClick={() => void navigate({ search: {} })}>
            {t('auditLog.clear')}
          </Button>
        )}
      </Group>
    </form>
  );
}

/** Who did it, and to what. */
function Things({ asked }: { asked: AuditAsked }) {
  const { t } = useTranslation();
  return (
    <>
      <NativeSelect
        name="actorKind"
        size="xs"
        label={t('auditLog.actorKind.title')}
        defaultValue={asked.actorKind ?? ''}
        data={[
          { value: '', label: t('auditLog.any') },
          ...ACTOR_KINDS.map((value) => ({ value, label: t(`auditLog.actorKind.${value}`) })),
        ]}
      />
      <TextInput name="actor" size="xs" label={t('auditLog.actor')} defaultValue={asked.actor} />
      <NativeSelect
        name="kind"
        size="xs"
        label={t('auditLog.kind.title')}
        defaultValue={asked.kind ?? ''}
        data={[
          { value: '', label: t('auditLog.any') },
          ...KINDS.map((value) => ({ value, label: t(`auditLog.kind.${value}`) })),
        ]}
      />
      <TextInput
        name="object"
        size="xs"
        label={t('auditLog.object')}
        placeholder={t('auditLog.objectHint')}
        defaultValue={asked.object}
      />
    </>
  );
}
