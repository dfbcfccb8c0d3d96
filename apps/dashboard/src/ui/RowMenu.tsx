import { ActionIcon, Menu } from '@mantine/core';

import { Icon } from './icons.js';

interface RowAction {
  title: string;
  isDangerous?: boolean;
  onClick: () => void;
}

/** What can be done with a row of a table. */
export function RowMenu({ label, actions }: { label: string; actions: readonly RowAction[] }) {
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" aria-label={label}>
          <Icon name="more" />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {actions.map(({ title, isDangerous, onClick }) => (
          <Menu.Item key={title} onClick={onClick} color={isDangerous === true ? 'red' : undefined}>
            {title}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
