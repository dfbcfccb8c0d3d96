import { NativeSelect, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import { fieldOf, FormModal } from '../../ui/FormModal.js';
import { ACTIONS, type BlockKind, KINDS, useAddBlock } from './blocks.js';

interface Props {
  /** What is in the fields at first. */
  start?: { kind: BlockKind; value: string; reason: string };
  onClose: () => void;
}

export function AddBlockModal({ start, onClose }: Props) {
  const { t } = useTranslation();
  const add = useAddBlock();
  const [kind, setKind] = useState<BlockKind>(start?.kind ?? 'host');
  const submit = (form: FormData) => {
    const action = ACTIONS.find((one) => one === fieldOf(form, 'action')) ?? 'block';
    add.mutate(
      { kind, value: fieldOf(form, 'value'), action, reason: fieldOf(form, 'reason') },
      { onSuccess: onClose },
    );
  };
  return (
    <FormModal title={t('blocks.add')} submit={t('blocks.add')} state={add} onSubmit={submit} onClose={onClose}>
      <NativeSelect
        label={t('blocks.kind.title')}
        description={t(`blocks.kindHint.${kind}`)}
        value={kind}
        onChange={({ currentTarget: { value } }) => setKind(KINDS.find((one) => one === value) ?? 'host')}
        data={KINDS.map((value) => ({ value, label: t(`blocks.kind.${value}`) }))}
      />
      <TextInput name="value" label={t('blocks.value')} defaultValue={start?.value} required data-autofocus />
      <NativeSelect
        name="action"
        label={t('blocks.action.title')}
        data={ACTIONS.map((value) => ({ value, label: t(`blocks.action.${value}`) }))}
      />
      <TextInput
        name="reason"
        label={t('blocks.reason')}
        description={t('blocks.reasonHint')}
        defaultValue={start?.reason}
        maxLength={500}
      />
    </FormModal>
  );
}
