import type { VisitSource } from '@hopcount/ledger';
import { takeFirst } from '@hopcount/runtime';

import { readVisits, type VisitSteps } from './read-visits.js';
import { type Answers, type Question, unpackValues } from './thread-messages.js';

/**
 * The thread's side: keeps the visits of each batch until it is released. Batches are prepared one after the other, in turns
 * (readVisits) between which transactions that wait for an answer get it.
 */
export class AnswerQuestions {
  /** A few. No Map, see LiveList. */
  readonly #held: { batch: number; visits: VisitSource }[] = [];
  #preparing: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly steps: VisitSteps,
    /** Failures of look-ups since it was asked last. */
    private readonly takeFailures: () => number,
  ) {}

  answer(question: Question): Promise<Answers[keyof Answers]> {
    switch (question.kind) {
      case 'prepare': {
        const prepared = this.#preparing.then(() => this.#prepare(question));
        this.#preparing = prepared.catch(() => undefined);
        return prepared;
      }
      case 'pick':
        return this.#sourceOf(question.batch).pick(question.which);
      case 'fold':
        return this.#sourceOf(question.batch).foldHours(question.foldedFrom);
    }
  }

  release(batch: number): void {
    takeFirst(this.#held, (held) => held.batch === batch);
  }

  async #prepare({ batch, packed }: Question & { kind: 'prepare' }): Promise<Answers['prepare']> {
    const { indexes, eventIds, refused, visits } = await readVisits(unpackValues(packed), this.steps);
    this.#held.push({ batch, visits });
    return {
      indexes: Uint32Array.from(indexes),
      eventIds,
      refused,
      // Rows of its own to hand over: those that are held are read again.
      prepared: { ...visits.prepared, rows: visits.prepared.rows.slice() },
      failures: this.takeFailures(),
    };
  }

  #sourceOf(batch: number): VisitSource {
    const source = this.#held.find((held) => held.batch === batch)?.visits;
    if (source === undefined) throw new Error(`batch ${batch} is not held`);
    return source;
  }
}
