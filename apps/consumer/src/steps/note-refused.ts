import type { DeadLetter, DeadLetterWriter } from '@hopcount/kafka';
import { failpoint } from '@hopcount/runtime';
import type { RefusedVisits } from '@hopcount/ledger';

/**
 * Dead letters that are also noted in PostgreSQL by event id, once acknowledged and before the commit
 * that moves past them: else the reconciler would take them for visits lost in silence. A crash in
 * between repeats both; noting is idempotent.
 */
export function notingRefused(
  writer: Pick<DeadLetterWriter, 'write'>,
  refused: Pick<RefusedVisits, 'note'>,
): Pick<DeadLetterWriter, 'write'> {
  return {
    write: async (letters: DeadLetter[], isCurrent: () => boolean) => {
      await writer.write(letters, isCurrent);
      if (letters.length > 0) failpoint('consumer.letters-before-noting');
      await refused.note(letters.map(({ record, reason }) => ({ key: record.key, value: record.value, reason })));
    },
  };
}
