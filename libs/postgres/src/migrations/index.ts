import { Foundation1763683200000 } from './0001-foundation.js';
import { LinkTagPositions1763722800000 } from './0002-link-tag-positions.js';
import { LedgerDimensions1763723700000 } from './0003-ledger-dimensions.js';
import { SourceAudits1763728200000 } from './0004-source-audits.js';
import { AuditIndexes1763740800000 } from './0005-audit-indexes.js';
import { Purges1763729000000 } from './0006-purges.js';
import { Heat1763730000000 } from './0007-heat.js';
import { OperatorActions1763732000000 } from './0009-operator-actions.js';
import { BatchAttempts1763733000000 } from './0010-batch-attempts.js';
import { SlotPins1763742000000 } from './0011-slot-pins.js';
import { OrphanVisits1763744400000 } from './0012-orphan-visits.js';
import { LostOffsets1763745000000 } from './0013-lost-offsets.js';

/** In the order they are applied; append only. */
export const MIGRATIONS = [
  Foundation1763683200000,
  LinkTagPositions1763722800000,
  LedgerDimensions1763723700000,
  SourceAudits1763728200000,
  Purges1763729000000,
  Heat1763730000000,
  OperatorActions1763732000000,
  BatchAttempts1763733000000,
  AuditIndexes1763740800000,
  SlotPins1763742000000,
  OrphanVisits1763744400000,
  LostOffsets1763745000000,
];
