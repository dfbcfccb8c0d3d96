import { Paper } from '@mantine/core';
import type { ReactNode } from 'react';

import { PageHeader } from '../../ui/PageHeader.js';
import classes from './entry-page.module.css';

/** For who is not signed in yet. */
export function EntryPage({ title, children }: { title: string; children: ReactNode }) {
  return (
    <main className={classes.page}>
      <Paper withBorder p="xl" className={classes.box}>
        <img src="./icon.svg" alt="Hopcount" width={40} height={40} />
        <PageHeader title={title} />
        {children}
      </Paper>
    </main>
  );
}
