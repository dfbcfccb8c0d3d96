import { Button, Group, NativeSelect, Paper, Text } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import { FormModal, fieldOf } from '../../ui/FormModal.js';
import { useFormat } from '../../ui/use-format.js';
import { useGroups } from '../administration/groups.js';
import { TagsField } from '../links/TagsField.js';
import { mayWriteEverything } from '../session/roles.js';
import { useUser } from '../session/session.js';
import { type BulkAction, deleteAction, disableAction, moveAction, tagAction, untagAction } from './bulk-actions.js';

interface Props {
  /** How many links are selected. */
  selected: number;
  onAction: (action: BulkAction) => void;
  onClear: () => void;
}

/** What can be done with the links that are selected. @public */
export function BulkBar({ selected, onAction, onClear }: Props) {
  const { t } = useTranslation();
  const { count } = useFormat();
  const [asked, ask] = useState<'tag' | 'untag' | 'move'>();
  const canMove = mayWriteEverything(useUser());
  const act = (action: BulkAction) => {
    ask(undefined);
    onAction(action);
  };
  const button = (name: BulkAction['name'], onClick: () => void) => (
    <Button size="compact-sm" variant="default" color={name === 'delete' ? 'red' : undefined} onClick={onClick}>
      {t(`bulk.${name}`)}
    </Button>
  );
  return (
    <Paper withBorder p="sm" mb="sm" component="section" aria-label={t('bulk.title')} className="no-print">
      <Group gap="xs">
        <Text size="sm" fw={500} role="status" mr="xs">
          {t('bulk.selected', { count: selected, number: count(selected) })}
        </Text>
        {button('tag', () => ask('tag'))}
        {button('untag', () => ask('untag'))}
        {canMove && button('move', () => ask('move'))}
        {button('enable', () => act(disableAction(false)))}
        {button('disable', () => act(disableAction(true)))}
        {button('delete', () => act(deleteAction))}
        <Button size="compact-sm" variant="subtle" onClick={onClear}>
          {t('bulk.clear')}
        </Button>
      </Group>
      {asked === 'move' && <MoveModal onMove={act} onClose={() => ask(undefined)} />}
      {(asked === 'tag' || asked === 'untag') && <TagModal name={asked} onTags={act} onClose={() => ask(undefined)} />}
    </Paper>
  );
}

const AT_ONCE = { isPending: false, error: null };

interface TagProps {
  name: 'tag' | 'untag';
  onTags: (action: BulkAction) => void;
  onClose: () => void;
}

function TagModal({ name, onTags, onClose }: TagProps) {
  const { t } = useTranslation();
  const [tags, setTags] = useState<string[]>([]);
  const submit = () => {
    if (tags.length > 0) onTags(name === 'tag' ? tagAction(tags) : untagAction(tags));
  };
  return (
    <FormModal title={t(`bulk.${name}`)} submit={t(`bulk.${name}`)} state={AT_ONCE} onSubmit={submit} onClose={onClose}>
      <TagsField value={tags} onChange={setTags} isFirst />
    </FormModal>
  );
}

function MoveModal({ onMove, onClose }: { onMove: (action: BulkAction) => void; onClose: () => void }) {
  const { t } = useTranslation();
  const groups = useGroups().data?.groups.data ?? [];
  const options = groups.map(({ groupId, name }) => ({ value: groupId, label: name }));
  return (
    <FormModal
      title={t('bulk.move')}
      submit={t('bulk.move')}
      state={AT_ONCE}
      onSubmit={(form) => onMove(moveAction(fieldOf(form, 'groupId') || null))}
      onClose={onClose}
    >
      <NativeSelect
        name="groupId"
        label={t('links.group')}
        data={[{ value: '', label: t('links.noGroup') }, ...options]}
        data-autofocus
      />
    </FormModal>
  );
}
