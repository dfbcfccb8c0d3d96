import { UnstyledButton } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';

import { useChangeSearch } from '../../ui/use-change-search.js';
import { useIsShared } from '../sharing/shared-view.js';
import classes from './evidence.module.css';
import { type Explained, formatExplained } from './explained.js';

interface Props {
  explained: Explained;
  /** The number. */
  children: ReactNode;
}

/** A number that opens the visits behind it. */
export function ExplainButton({ explained, children }: Props) {
  const { t } = useTranslation();
  const changeSearch = useChangeSearch();
  const isShared = useIsShared();
  if (isShared) return children;
  return (
    <UnstyledButton
      className={classes.number}
      title={t('evidence.open')}
      onClick={() => changeSearch(formatExplained(explained))}
    >
      {children}
    </UnstyledButton>
  );
}
