import type { LinkUses, ResolvedLink, UseAsked } from '@hopcount/links';
import { AppError, type Logger } from '@hopcount/runtime';

import type { UseReturns } from './use-returns.js';

export interface LimitGateSettings {
  /** Longest time a visitor waits for PostgreSQL. */
  patienceMs: number;
  /** How long a link that was used up counts as used up without asking again. */
  usedUpMs: number;
}

const DEFAULTS: LimitGateSettings = { patienceMs: 1_500, usedUpMs: 250 };
/** Of all limited links; about 10 MB. */
const MAX_WAITING = 10_000;
const MAX_PER_STATEMENT = 500;
/** Statements; each holds one connection. */
const MAX_UNDER_WAY = 2;
const MAX_USED_UP = 10_000;

type Limited = Pick<ResolvedLink, 'id' | 'version'>;

/** waiting → sent → settled; a visitor whose patience ended settles it from either. */
interface Question extends UseAsked {
  version: string;
  stage: 'waiting' | 'sent' | 'settled';
  settle: (answer: boolean | AppError) => void;
}

/**
 * Asks PostgreSQL who may follow a link with a limit. Questions of a link are gathered while a statement about it is under
 * way and go together in the next, in order of arrival: a thousand visitors cost a row a few locks, and no other link waits
 * for that row. Only that a link is used up is remembered, for a moment and for that version of it; never that it is free.
 */
export class LimitGate {
  readonly outcomes = { taken: 0, 'used-up': 0, unavailable: 0 };
  readonly #settings: LimitGateSettings;
  /** In order of arrival. No Map, see LiveList. */
  readonly #waiting: Question[] = [];
  readonly #busy = new Set<string>();
  readonly #usedUp = new Map<string, { version: string; untilMs: number }>();
  #underWay = 0;

  constructor(
    private readonly uses: Pick<LinkUses, 'take'>,
    private readonly returns: Pick<UseReturns, 'giveBack'>,
    private readonly logger: Logger,
    settings: Partial<LimitGateSettings> = {},
  ) {
    this.#settings = { ...DEFAULTS, ...settings };
  }

  /**
   * Whether the visit may be made; then a use is taken under its event id. null: whether one is left.
   * @throws AppError `limit-undecided`: PostgreSQL did not say so in time, or too many wait; no use is taken
   */
  async ask(link: Limited, eventId: string | null): Promise<boolean> {
    try {
      const isFree = this.#isUsedUp(link) ? false : await this.#join(link, eventId);
      if (eventId !== null) this.outcomes[isFree ? 'taken' : 'used-up'] += 1;
      return isFree;
    } catch (error) {
      this.outcomes.unavailable += 1;
      throw error;
    }
  }

  #isUsedUp({ id, version }: Limited): boolean {
    const known = this.#usedUp.get(id);
    if (known === undefined) return false;
    if (known.version === version && performance.now() < known.untilMs) return true;
    this.#usedUp.delete(id);
    return false;
  }

  #join({ id: linkId, version }: Limited, eventId: string | null): Promise<boolean> {
    if (this.#waiting.length >= MAX_WAITING) return Promise.reject(undecided('too many visitors wait'));
    return new Promise((resolve, reject) => {
      const question: Question = { linkId, version, eventId, stage: 'waiting', settle: () => undefined };
      const timer = setTimeout(() => {
        if (question.stage === 'waiting') this.#waiting.splice(this.#waiting.indexOf(question), 1);
        question.settle(undecided(`no answer in ${this.#settings.patienceMs} ms`));
      }, this.#settings.patienceMs);
      question.settle = (answer) => {
        if (question.stage === 'settled') return;
        question.stage = 'settled';
        clearTimeout(timer);
        if (answer instanceof AppError) reject(answer);
        else resolve(answer);
      };
      this.#waiting.push(question);
      this.#send();
    });
  }

  #send(): void {
    while (this.#underWay < MAX_UNDER_WAY) {
      const batch = this.#nextBatch();
      if (batch.length === 0) return;
      const links = new Set(batch.map(({ linkId }) => linkId));
      this.#underWay += 1;
      for (const linkId of links) this.#busy.add(linkId);
      void this.#ask(batch).finally(() => {
        this.#underWay -= 1;
        for (const linkId of links) this.#busy.delete(linkId);
        this.#send();
      });
    }
  }

  /** Questions of links that no statement under way is about. */
  #nextBatch(): Question[] {
    const batch: Question[] = [];
    this.#take((question) => {
      if (this.#busy.has(question.linkId) || batch.length === MAX_PER_STATEMENT) return false;
      question.stage = 'sent';
      batch.push(question);
      return true;
    });
    return batch;
  }

  /** Out of what waits, in order of arrival, what `isTaken` says. */
  #take(isTaken: (question: Question) => boolean): void {
    let kept = 0;
    for (const question of this.#waiting) if (!isTaken(question)) this.#waiting[kept++] = question;
    this.#waiting.length = kept;
  }

  async #ask(batch: readonly Question[]): Promise<void> {
    try {
      const answers = await this.uses.take(batch);
      batch.forEach((question, place) => this.#answer(question, answers[place] === true));
      this.#noteUsedUp(batch.filter((_, place) => answers[place] !== true));
    } catch (error) {
      this.#logOutage(error);
      // Whether uses were taken is not known.
      const eventIds = batch.flatMap(({ eventId }) => eventId ?? []);
      this.returns.giveBack(eventIds, { inDoubt: true });
      for (const { settle } of batch) settle(undecided('PostgreSQL did not decide', error));
    }
  }

  #answer(question: Question, isFree: boolean): void {
    const { eventId } = question;
    const isLeft = question.stage === 'settled';
    question.settle(isFree);
    if (isFree && eventId !== null && isLeft) this.returns.giveBack([eventId]);
  }

  /** Whoever waits for one of these links need not ask. */
  #noteUsedUp(questions: readonly Question[]): void {
    if (questions.length === 0) return;
    if (this.#usedUp.size >= MAX_USED_UP) this.#usedUp.clear();
    const untilMs = performance.now() + this.#settings.usedUpMs;
    for (const { linkId, version } of questions) this.#usedUp.set(linkId, { version, untilMs });
    this.#take((question) => {
      if (!this.#isUsedUp({ id: question.linkId, version: question.version })) return false;
      question.settle(false);
      return true;
    });
  }

  #logOutage(error: unknown): void {
    this.logger.warn({ err: error }, 'PostgreSQL does not decide about links with a limit; their visitors get 503');
  }
}

function undecided(reason: string, cause?: unknown): AppError {
  const message = `Whether the link may still be followed is not known: ${reason}.`;
  return new AppError('limit-undecided', message, { retryable: true, cause });
}
