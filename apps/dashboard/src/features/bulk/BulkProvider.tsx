import type { ReactNode } from 'react';

import { lazyPart } from '../../ui/lazy-part.js';
import { BulkContext, useBulk, useBulkRuns } from './use-bulk.js';

/** Only who changes many links needs it. */
const HeldReport = lazyPart(() => import('./HeldReport.js'), 'HeldReport');

/** Around all pages: a change of many links goes on, and can be stopped and taken back, while somebody looks at another page. */
export function BulkProvider({ children }: { children: ReactNode }) {
  return <BulkContext value={useBulkRuns()}>{children}</BulkContext>;
}

/** Above each page but that of links, which shows the report where the change was asked for. */
export function BulkElsewhere() {
  return useBulk().run !== undefined && <HeldReport />;
}
