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
        <Choice
          name="range"
          label={t('statistics.range.label')}
          chosen={asked.range}
          choices={RANGES.map((value) => ({ value, label: t(`statistics.range.${value}`) }))}
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
      <Choice
        name="actorKind"
        label={t('auditLog.actorKind.title')}
        chosen={asked.actorKind}
        choices={ACTOR_KINDS.map((value) => ({ value, label: t(`auditLog.actorKind.${value}`) }))}
      />
      <TextInput name="actor" size="xs" label={t('auditLog.actor')} defaultValue={asked.actor} />
      <Choice
        name="kind"
        label={t('auditLog.kind.title')}
        chosen={asked.kind}
        choices={KINDS.map((value) => ({ value, label: t(`auditLog.kind.${value}`) }))}
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

interface ChoiceProps {
  name: string;
  label: string;
  chosen: string | undefined;
  choices: { value: string; label: string }[];
}

/** One of them, or any. */
function Choice({ name, label, chosen, choices }: ChoiceProps) {
  const { t } = useTranslation();
  const data = [{ value: '', label: t('auditLog.any') }, ...choices];
  return <NativeSelect name={name} size="xs" label={label} defaultValue={chosen ?? ''} data={data} />;
}
