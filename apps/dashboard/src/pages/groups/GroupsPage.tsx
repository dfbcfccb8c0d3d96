import { Button, Paper, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import { type Group, useGroups } from '../../features/administration/groups.js';
import { mayWriteEverything } from '../../features/session/roles.js';
import { useUser } from '../../features/session/session.js';
import { Answer } from '../../ui/Answer.js';
import { type Column, DataTable } from '../../ui/DataTable.js';
import { EmptyState } from '../../ui/EmptyState.js';
import { fieldOf, FormModal } from '../../ui/FormModal.js';
import { PageHeader } from '../../ui/PageHeader.js';
import { useFormat } from '../../ui/use-format.js';
import { GroupMenu } from './GroupMenu.js';
import { useCreateGroup } from './groups.js';

/** @public */
export function GroupsPage() {
  const { t } = useTranslation();
  const { count } = useFormat();
  const canWrite = mayWriteEverything(useUser());
  const [isCreating, setCreating] = useState(false);
  const columns: Column<Group>[] = [
    {
      key: 'name',
      title: t('groups.name'),
      cell: (group) => <NameCell group={group} />,
    },
    {
      key: 'links',
      title: t('common.navigation.links'),
      isNumeric: true,
      cell: ({ shortUrlsCount }) => count(shortUrlsCount),
    },
    {
      key: 'deleted',
      title: t('groups.inBin'),
      isNumeric: true,
      isExtra: true,
      cell: ({ deletedShortUrlsCount }) => count(deletedShortUrlsCount),
    },
    ...(canWrite ? [{ key: 'menu', title: '', cell: (group: Group) => <GroupMenu group={group} /> }] : []),
  ];
  return (
    <>
      <PageHeader title={t('groups.title')} subtitle={t('groups.about')}>
        {canWrite && <Button onClick={() => setCreating(true)}>{t('groups.create')}</Button>}
      </PageHeader>
      <Paper withBorder>
        <Answer query={useGroups()}>
          {({ groups: { data } }) =>
            data.length === 0 ? (
              <EmptyState>{t('groups.none')}</EmptyState>
            ) : (
              <DataTable label={t('groups.title')} columns={columns} rows={data} keyOf={({ groupId }) => groupId} />
            )
          }
        </Answer>
      </Paper>
      {isCreating && <CreateModal onClose={() => setCreating(false)} />}
    </>
  );
}

function CreateModal({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation();
  const create = useCreateGroup();
  const submit = (form: FormData) => {
    const name = fieldOf(form, 'name');
    create.mutate({ groupId: fieldOf(form, 'groupId'), ...(name !== '' && { name }) }, { onSuccess: onClose });
  };
  return (
    <FormModal
      title={t('groups.create')}
      submit={t('groups.create')}
      state={create}
      onSubmit={submit}
      onClose={onClose}
    >
      <TextInput
        name="groupId"
        label={t('groups.id')}
        description={t('groups.idHint')}
        required
        maxLength={64}
        data-autofocus
      />
      <TextInput name="name" label={t('groups.name')} maxLength={256} />
    </FormModal>
  );
}

function NameCell({ group: { groupId, name } }: { group: Group }) {
  return (
    <>
      <Text size="sm" fw={500} className="foreign">
        {name}
      </Text>
      <Text size="xs" c="dimmed" className="foreign">
        {groupId}
      </Text>
    </>
  );
}
