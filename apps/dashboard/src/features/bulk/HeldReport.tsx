import { useMatch } from '@tanstack/react-router';

import { BulkReport } from './BulkReport.js';
import { useBulk } from './use-bulk.js';

/** The report on pages that are not of links. @public */
export function HeldReport() {
  const bulk = useBulk();
  const isWhereItBegan = useMatch({ from: '/signed-in/links', shouldThrow: false }) !== undefined;
  if (bulk.run === undefined || isWhereItBegan) return null;
  return (
    <div className="no-print">
      <BulkReport run={bulk.run} bulk={bulk} />
    </div>
  );
}
