import { NativeSelect, NumberInput, Text } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import { fieldOf, FormModal } from '../../ui/FormModal.js';
import { type JobToPlan, usePlanJob } from './jobs.js';

const KINDS = ['rebuild', 'verify', 'redrive', 'seal', 'replay'] as const satisfies JobToPlan['kind'][];

const RATED = ['rebuild', 'redrive', 'replay'] as const;

export function PlanJobModal({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation();
  const [kind, choose] = useState<JobToPlan['kind']>('rebuild');
  const plan = usePlanJob();
  const rated = RATED.find((one) => one === kind);
  const submit = (form: FormData) => {
    const rate = Number(fieldOf(form, 'rate').replace(/\D/g, ''));
    const job = {
      kind,
      ...(rated !== undefined && rate > 0 && { ratePerSecond: rate }),
      ...(kind === 'replay' && { lastHours: Number(fieldOf(form, 'hours')) }),
    } as JobToPlan;
    plan.mutate(job, { onSuccess: onClose });
  };
  return (
    <FormModal
      title={t('system.jobs.plan')}
      submit={t('system.jobs.plan')}
      state={plan}
      onSubmit={submit}
      onClose={onClose}
    >
      <NativeSelect
        data-autofocus
        label={t('system.jobs.kind.title')}
        value={kind}
        onChange={({ currentTarget }) => choose(KINDS.find((one) => one === currentTarget.value) ?? 'rebuild')}
        data={KINDS.map((value) => ({ value, label: t(`system.jobs.kind.${value}`) }))}
      />
      <Text size="sm">{t(`system.jobs.does.${kind}`)}</Text>
      {kind === 'replay' && (
        <NumberInput
          name="hours"
          label={t('system.jobs.lastHours')}
          defaultValue={24}
          min={1}
          max={720}
          allowDecimal={false}
        />
      )}
      {rated !== undefined && (
        <NumberInput name="rate" label={t(`system.jobs.rate.${rated}`)} min={1} max={1_000_000} allowDecimal={false} />
      )}
      <Text size="sm" c="dimmed">
        {t('system.jobs.planHint')}
      </Text>
    </FormModal>
  );
}
