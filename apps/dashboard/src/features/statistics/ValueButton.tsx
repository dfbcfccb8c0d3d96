import { UnstyledButton } from '@mantine/core';

import { useIsShared } from '../sharing/shared-view.js';
import { useView } from '../view/use-view.js';
import { formatFilter } from '../view/view.js';
import classes from './statistics.module.css';

interface Props {
  dimension: string;
  value: string;
  name: string;
}

/** A value that a click makes a filter, and takes away again. */
export function ValueButton({ dimension, value, name }: Props) {
  const { view, toggle } = useView();
  const filter = formatFilter({ dimension, isExcluded: false, value });
  return (
    <UnstyledButton
      className={classes.name}
      title={name}
      disabled={useIsShared()}
      aria-pressed={view.filter?.includes(filter) ?? false}
      onClick={() => toggle(filter)}
    >
      <bdi>{name}</bdi>
    </UnstyledButton>
  );
}
