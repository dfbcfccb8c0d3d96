import { Menu } from '@mantine/core';
import { cloneElement } from 'react';

import { type DropdownProps, useOpened } from './lazy-dropdown.js';

export interface RowAction {
  title: string;
  isDangerous?: boolean;
  /** Or a file to download. */
  href?: string;
  onClick?: () => void;
}

interface Props extends DropdownProps {
  actions: readonly RowAction[];
}

/** @public */
export function MenuOfActions({ button: closed, actions }: Props) {
  const { isOpen, setOpen, button } = useOpened();
  // A dialog that it opens gives the focus back to the button: the item is gone by then.
  const act = (onClick?: () => void) => {
    button.current?.focus();
    onClick?.();
  };
  return (
    <Menu position="bottom-end" opened={isOpen} onChange={setOpen}>
      <Menu.Target>{cloneElement(closed, { ref: button } as object)}</Menu.Target>
      <Menu.Dropdown>
        {actions.map(({ title, isDangerous, href, onClick }) => (
          <Menu.Item
            key={title}
            color={isDangerous === true ? 'red' : undefined}
            {...(href === undefined ? { onClick: () => act(onClick) } : { component: 'a', href, download: true })}
          >
            {title}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
