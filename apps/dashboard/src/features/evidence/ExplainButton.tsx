import { UnstyledButton } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';

import { useChangeSearch } from '../../ui/use-change-search.js';
import { useIsShared } from '../sharing/shared-view.js';
import classes from './evidence.module.css';
import { type Explained, formatExplained } from './explained.js';

interface Props {
  /** undefined: it cannot be asked for. */
  explained: Explained | undefined;
  /** The number. */
  children: ReactNode;
}

/** Opens the visits behind a number; undefined where they are shown to nobody: a share link shows numbers alone. */
export function useExplain(): ((explained: Explained) => void) | undefined {
  const changeSearch = useChangeSearch();
  const isShared = useIsShared();
  return isShared ? undefined : (explained) => changeSearch(formatExplained(explained));
}

/** A number that opens the visits behind it. */
export function ExplainButton({ explained, children }: Props) {
  const { t } = useTranslation();
  const explain = useExplain();
  if (explain === undefined || explained === undefined) return children;
  return (
    <UnstyledButton className={classes.number} title={t('evidence.open')} onClick={() => explain(explained)}>
      {children}
    </UnstyledButton>
  );
}
