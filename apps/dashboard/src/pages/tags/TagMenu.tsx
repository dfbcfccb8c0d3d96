import { Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import { fieldOf, FormModal } from '../../ui/FormModal.js';
import { RowMenu } from '../../ui/RowMenu.js';
import { useDeleteTag, useMergeTag, useRenameTag } from './tags.js';

interface Props {
  tag: string;
  onClose: () => void;
}

export function TagMenu({ tag }: { tag: string }) {
  const { t } = useTranslation();
  const [asked, ask] = useState<'rename' | 'merge' | 'delete'>();
  const close = () => ask(undefined);
  return (
    <>
      <RowMenu
        label={t('administration.actions', { name: tag })}
        actions={[
          { title: t('tags.rename'), onClick: () => ask('rename') },
          { title: t('tags.merge'), onClick: () => ask('merge') },
          { title: t('administration.delete'), onClick: () => ask('delete'), isDangerous: true },
        ]}
      />
      {asked === 'rename' && <RenameModal tag={tag} onClose={close} />}
      {asked === 'merge' && <MergeModal tag={tag} onClose={close} />}
      {asked === 'delete' && <DeleteModal tag={tag} onClose={close} />}
    </>
  );
}

function RenameModal({ tag, onClose }: Props) {
  const { t } = useTranslation();
  const rename = useRenameTag();
  return (
    <FormModal
      title={t('tags.renameTitle', { tag })}
      submit={t('tags.rename')}
      state={rename}
      onSubmit={(form) => rename.mutate({ oldName: tag, newName: fieldOf(form, 'name') }, { onSuccess: onClose })}
      onClose={onClose}
    >
      <TextInput name="name" label={t('tags.newName')} defaultValue={tag} required data-autofocus />
    </FormModal>
  );
}

function MergeModal({ tag, onClose }: Props) {
  const { t } = useTranslation();
  const merge = useMergeTag();
  return (
    <FormModal
      title={t('tags.mergeTitle', { tag })}
      submit={t('tags.merge')}
      isDangerous
      state={merge}
      onSubmit={(form) => merge.mutate({ tags: [tag], into: fieldOf(form, 'into') }, { onSuccess: onClose })}
      onClose={onClose}
    >
      <TextInput
        name="into"
        label={t('tags.into')}
        description={t('tags.mergeHint', { tag })}
        required
        data-autofocus
      />
    </FormModal>
  );
}

function DeleteModal({ tag, onClose }: Props) {
  const { t } = useTranslation();
  const remove = useDeleteTag();
  return (
    <FormModal
      title={t('tags.deleteTitle', { tag })}
      submit={t('administration.delete')}
      isDangerous
      state={remove}
      onSubmit={() => remove.mutate(tag, { onSuccess: onClose })}
      onClose={onClose}
    >
      <Text size="sm">{t('tags.deleteHint')}</Text>
    </FormModal>
  );
}
