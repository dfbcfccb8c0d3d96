import { DEAD_LETTER_HEADERS } from '@hopcount/contracts';

import { ExpectedCount } from '../verdicts/expected-count.js';
import type { VisitJudge } from '../verdicts/visit-judge.js';
import { intoBatches, type RecordSender, type RecordToSend } from '../resend/record-sender.js';
import type { DeadLetterStates } from './dead-letter-states.js';
import type { Letter } from './walk-letters.js';

const NO_LETTERS = {
  /** Letters chosen by the options and not done before. */
  letters: 0,
  sent: 0,
  alreadyCounted: 0,
  purged: 0,
  /** Will come back as new dead letters. */
  refusedAgain: 0,
};

const TALLIED_AS = { counted: 'alreadyCounted', purged: 'purged', refused: 'refusedAgain' } as const;

export interface RedriveParts {
  judge: Pick<VisitJudge, 'judge'>;
  /** Whose letters are counts of hosts, which go back there: no verdict on a visit is theirs. */
  countsTopic: string;
  /** Left out: only the plan is made. */
  execution?: { sender: Pick<RecordSender, 'send'>; states: Pick<DeadLetterStates, 'mark'>; actionId: string };
  ratePerSecond?: number | undefined;
}

const OUR_HEADERS = new Set<string>(Object.values(DEAD_LETTER_HEADERS));

/**
 * Sends dead letters to the topic they were meant for as they came: same key, same value, same headers. Their state
 * is written after they are acknowledged. Killed between the two, the next run sends that batch again,
 * and the ledger counts each event once all the same.
 */
export class LetterRedrive {
  readonly tally: typeof NO_LETTERS;

  /** @param tally of a run that was killed, whose numbers this one goes on with, as `expected` */
  constructor(
    private readonly parts: RedriveParts,
    readonly expected = new ExpectedCount(),
    tally = NO_LETTERS,
  ) {
    this.tally = { ...tally };
  }

  async take(letters: readonly Letter[]): Promise<void> {
    const { execution, ratePerSecond } = this.parts;
    for (const batch of intoBatches(letters, ratePerSecond)) {
      await this.#judge(batch);
      if (execution === undefined) continue;
      await execution.sender.send(batch.map((letter) => this.#toSend(letter)));
      await execution.states.mark(
        batch.map(({ record }) => record),
        'redriven',
        execution.actionId,
      );
      this.tally.sent += batch.length;
    }
  }

  async #judge(letters: readonly Letter[]): Promise<void> {
    this.tally.letters += letters.length;
    const visits = letters.filter(({ about }) => about.originalTopic !== this.parts.countsTopic);
    for (const verdict of await this.parts.judge.judge(visits.map(({ record }) => record.value))) {
      if (verdict.kind !== 'missing') this.tally[TALLIED_AS[verdict.kind]] += 1;
      else if (!this.expected.add(verdict.visit)) this.tally.alreadyCounted += 1;
    }
  }

  #toSend({ record, about }: Letter): RecordToSend {
    const headers = Object.fromEntries(Object.entries(record.headers).filter(([name]) => !OUR_HEADERS.has(name)));
    return {
      record: { key: record.key, value: record.value, headers },
      from: { topic: about.originalTopic, partition: about.originalPartition, offset: about.originalOffset },
    };
  }
}
