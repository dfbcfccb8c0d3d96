import { ActionIcon, Button, Group, Popover, Stack, Switch, Text, TextInput, UnstyledButton } from '@mantine/core';
import { cloneElement, useState } from 'react';
import { useTranslation } from 'react-i18next';

import { Icon } from '../../ui/icons.js';
import { type DropdownProps, useOpened } from '../../ui/lazy-dropdown.js';
import { useUser } from '../session/session.js';
import { keepSaved, NAME_AT_MOST, readSaved, type SavedView, withSaved } from './saved-views.js';
import { hasShortcuts, keepShortcuts } from './use-shortcuts.js';
import { useView } from './use-view.js';
import type { ViewSearch } from './view.js';

const NOTHING: ViewSearch = {
  ...{ range: undefined, from: undefined, to: undefined, zone: undefined, compare: undefined, filter: undefined },
};

/** @public */
export function SavedViewsList({ button: closed }: DropdownProps) {
  const { t } = useTranslation();
  const id = String(useUser().id);
  const { view, change } = useView();
  const { isOpen, setOpen, button } = useOpened();
  const [saved, setSaved] = useState(() => readSaved(id));
  const keep = (views: SavedView[]) => {
    setSaved(views);
    keepSaved(id, views);
  };
  return (
    <Popover opened={isOpen} onChange={setOpen} position="bottom-end" trapFocus withinPortal>
      <Popover.Target>
        {cloneElement(closed, { ref: button, onClick: () => setOpen(!isOpen) } as object)}
      </Popover.Target>
      <Popover.Dropdown aria-label={t('view.saved')}>
        <Stack gap="xs" w="16rem">
          {saved.length === 0 && (
            <Text size="sm" c="dimmed">
              {t('view.none')}
            </Text>
          )}
          {saved.map((one) => (
            <SavedRow
              key={one.name}
              name={one.name}
              onOpen={() => {
                change({ ...NOTHING, ...one.view });
                setOpen(false);
              }}
              onForget={() => keep(saved.filter(({ name }) => name !== one.name))}
            />
          ))}
          <SaveForm onSave={(name) => keep(withSaved(saved, { name, view }))} />
          <ShortcutsSwitch />
        </Stack>
      </Popover.Dropdown>
    </Popover>
  );
}

interface RowProps {
  name: string;
  onOpen: () => void;
  onForget: () => void;
}

function SavedRow({ name, onOpen, onForget }: RowProps) {
  const { t } = useTranslation();
  return (
    <Group justify="space-between" wrap="nowrap" gap="xs">
      <UnstyledButton fz="sm" className="foreign" onClick={onOpen}>
        {name}
      </UnstyledButton>
      <ActionIcon variant="subtle" color="gray" size="sm" aria-label={t('view.forget', { name })} onClick={onForget}>
        <Icon name="close" size={14} />
      </ActionIcon>
    </Group>
  );
}

function SaveForm({ onSave }: { onSave: (name: string) => void }) {
  const { t } = useTranslation();
  const [name, setName] = useState('');
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (name.trim() !== '') onSave(name.trim());
        setName('');
      }}
    >
      <Group gap="xs" wrap="nowrap" align="flex-end">
        <TextInput
          size="xs"
          flex={1}
          label={t('view.name')}
          maxLength={NAME_AT_MOST}
          value={name}
          onChange={({ currentTarget }) => setName(currentTarget.value)}
        />
        <Button type="submit" size="xs">
          {t('common.save')}
        </Button>
      </Group>
    </form>
  );
}

function ShortcutsSwitch() {
  const { t } = useTranslation();
  const [isOn, setOn] = useState(hasShortcuts);
  return (
    <Switch
      size="xs"
      label={t('view.shortcuts')}
      checked={isOn}
      onChange={({ currentTarget: { checked } }) => {
        setOn(checked);
        keepShortcuts(checked);
      }}
    />
  );
}
