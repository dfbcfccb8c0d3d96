import { NativeSelect, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import { type Group, useGroups } from '../../features/administration/groups.js';
import { fieldOf, FormModal } from '../../ui/FormModal.js';
import { RowMenu } from '../../ui/RowMenu.js';
import { useDeleteGroup, useRenameGroup } from './groups.js';

interface Props {
  group: Group;
  onClose: () => void;
}

export function GroupMenu({ group }: { group: Group }) {
  const { t } = useTranslation();
  const [asked, ask] = useState<'rename' | 'delete'>();
  const close = () => ask(undefined);
  return (
    <>
      <RowMenu
        label={t('administration.actions', { name: group.name })}
        actions={[
          { title: t('groups.rename'), onClick: () => ask('rename') },
          { title: t('administration.delete'), onClick: () => ask('delete'), isDangerous: true },
        ]}
      />
      {asked === 'rename' && <RenameModal group={group} onClose={close} />}
      {asked === 'delete' && <DeleteModal group={group} onClose={close} />}
    </>
  );
}

function RenameModal({ group, onClose }: Props) {
  const { t } = useTranslation();
  const rename = useRenameGroup();
  return (
    <FormModal
      title={t('groups.renameTitle', { name: group.name })}
      submit={t('groups.rename')}
      state={rename}
      onSubmit={(form) => rename.mutate({ group, name: fieldOf(form, 'name') }, { onSuccess: onClose })}
      onClose={onClose}
    >
      <TextInput
        name="name"
        label={t('groups.name')}
        defaultValue={group.name}
        required
        maxLength={256}
        data-autofocus
      />
    </FormModal>
  );
}

/** One with links names the group that gets them. */
function DeleteModal({ group, onClose }: Props) {
  const { t } = useTranslation();
  const remove = useDeleteGroup();
  const others = (useGroups().data?.groups.data ?? []).filter(({ groupId }) => groupId !== group.groupId);
  const isEmpty = group.shortUrlsCount + group.deletedShortUrlsCount === 0;
  return (
    <FormModal
      title={t('groups.deleteTitle', { name: group.name })}
      submit={t('administration.delete')}
      isDangerous
      state={remove}
      onSubmit={(form) => remove.mutate({ group, moveTo: fieldOf(form, 'moveTo') }, { onSuccess: onClose })}
      onClose={onClose}
    >
      <Text size="sm">{t('groups.deleteHint')}</Text>
      {!isEmpty && (
        <NativeSelect
          name="moveTo"
          label={t('groups.moveTo')}
          required
          data={[{ value: '', label: '' }, ...others.map(({ groupId, name }) => ({ value: groupId, label: name }))]}
        />
      )}
    </FormModal>
  );
}
