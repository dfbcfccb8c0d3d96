import type { DeadLetterReason } from '@hopcount/contracts';

/**
 * What a step made of one record. `drop` is only for what is counted already; a record that cannot
 * be counted goes to the dead letter, with the reason.
 */
export type StepOutcome<Value> =
  | { outcome: 'ok'; value: Value }
  | { outcome: 'drop'; reason: DropReason }
  | { outcome: 'dead-letter'; reason: DeadLetterReason; detail: string };

export type DropReason = 'already-counted';
