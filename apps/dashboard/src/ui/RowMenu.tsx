import { ActionIcon } from '@mantine/core';

import { Icon } from './icons.js';
import { lazyDropdown } from './lazy-dropdown.js';
import type { RowAction } from './MenuOfActions.js';

/** A button that opens a list of actions. */
export const LazyMenu = lazyDropdown(() => import('./MenuOfActions.js'), 'MenuOfActions', 'menu');

interface Props {
  label: string;
  actions: readonly RowAction[];
  /** Of a panel's heading, and not on paper. */
  isSmall?: boolean;
}

/** What can be done with a row of a table, or with a panel. */
export function RowMenu({ label, actions, isSmall = false }: Props) {
  return (
    <LazyMenu
      actions={actions}
      button={
        <ActionIcon
          variant="subtle"
          color="gray"
          aria-label={label}
          {...(isSmall && { size: 'sm', className: 'no-print' })}
        >
          <Icon name="more" {...(isSmall && { size: 16 })} />
        </ActionIcon>
      }
    />
  );
}
