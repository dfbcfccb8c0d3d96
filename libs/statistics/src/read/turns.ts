import { AppError } from '@hopcount/runtime';

import { STATISTICS_ERRORS } from '../statistics.errors.js';

/** Who asks, and what for. */
export interface Asker {
  /** The API key; null: nobody's. */
  keyId?: number | null | undefined;
  /** Little work, as sums of buckets are. */
  isLight?: boolean | undefined;
  /** Whom is asked, and the question as text: equal ones that have yet to begin are answered together. */
  same?: readonly [of: object, question: string] | undefined;
  /** Aborted once nobody waits for the answer any more. */
  gone?: AbortSignal | undefined;
}

/** Light questions have turns of their own, so that they do not wait for others. */
export interface TurnsAtOnce {
  atOnce: number;
  /** 0: light questions are as all others. */
  lightAtOnce?: number;
  /** Before one that waits takes the place of one that is not light and took so long. */
  restMs?: (tookMs: number) => number;
}

type Work<T> = (signal: AbortSignal) => Promise<T>;

interface Question<T = unknown> {
  key: number | null;
  lane: Lane;
  askers: number;
  /** Aborted once all of them have gone. */
  abandoned: AbortController;
  begin: () => Promise<unknown>;
  answer: Promise<T>;
}

/**
 * Lets a few questions run at once. The keys that wait have their turns one after the other, whatever one of them has asked
 * before. Equal questions share one answer only while it has yet to begin: so it is never of before one of them was asked.
 */
export class Turns {
  readonly #heavy: Lane;
  readonly #light: Lane;
  readonly #waiting = new WeakMap<object, Map<string, Question>>();

  constructor({ atOnce, lightAtOnce = 0, restMs }: TurnsAtOnce) {
    this.#heavy = new Lane(atOnce, restMs);
    this.#light = lightAtOnce === 0 ? this.#heavy : new Lane(lightAtOnce);
  }

  /** @throws AppError `client-gone` */
  async run<T>(work: Work<T>, asker: Asker): Promise<T> {
    const { gone, same } = asker;
    if (gone?.aborted === true) throw clientGone();
    const equal = same && (this.#waitingOf(same[0]).get(same[1]) as Question<T> | undefined);
    const question = equal ?? this.#newQuestion(work, asker);
    question.askers += 1;
    const heard = hear(question, gone);
    if (equal === undefined) question.lane.add(question);
    return heard;
  }

  #newQuestion<T>(work: Work<T>, { keyId = null, isLight = false, same }: Asker): Question<T> {
    const abandoned = new AbortController();
    const forget = () => {
      if (same !== undefined) this.#waitingOf(same[0]).delete(same[1]);
    };
    abandoned.signal.addEventListener('abort', forget, { once: true });
    let begin: Question['begin'] = () => Promise.resolve();
    const answer = new Promise<T>((resolve, reject) => {
      begin = () => {
        forget();
        return work(abandoned.signal).then(resolve, reject);
      };
    });
    const lane = isLight ? this.#light : this.#heavy;
    const question = { key: keyId, lane, askers: 0, abandoned, begin, answer };
    if (same !== undefined) this.#waitingOf(same[0]).set(same[1], question);
    return question;
  }

  #waitingOf(reader: object): Map<string, Question> {
    const known = this.#waiting.get(reader) ?? new Map<string, Question>();
    this.#waiting.set(reader, known);
    return known;
  }
}

/** Some questions at once; the others wait, of each key in order. */
class Lane {
  /** The key whose turn is next comes first. */
  readonly #ofKeys = new Map<number | null, Question[]>();
  #running = 0;

  constructor(
    private readonly atOnce: number,
    private readonly restMs: (tookMs: number) => number = () => 0,
  ) {}

  add(question: Question): void {
    const { key } = question;
    this.#ofKeys.set(key, [...(this.#ofKeys.get(key) ?? []), question]);
    this.#beginNext();
  }

  remove(question: Question): void {
    const others = (this.#ofKeys.get(question.key) ?? []).filter((other) => other !== question);
    if (others.length > 0) this.#ofKeys.set(question.key, others);
    else this.#ofKeys.delete(question.key);
  }

  #beginNext(): void {
    for (const [key, [next, ...others]] of this.#ofKeys) {
      if (this.#running >= this.atOnce) return;
      this.#ofKeys.delete(key);
      // Behind all other keys.
      if (others.length > 0) this.#ofKeys.set(key, others);
      if (next !== undefined) this.#begin(next);
    }
  }

  #begin(question: Question): void {
    this.#running += 1;
    const begunMs = performance.now();
    const leave = () => {
      this.#running -= 1;
      this.#beginNext();
    };
    void question.begin().finally(() => {
      // Whoever asks one question after the other does not wait for more than its answer.
      const restMs = this.#ofKeys.size === 0 ? 0 : this.restMs(performance.now() - begunMs);
      if (restMs > 0) setTimeout(leave, restMs);
      else leave();
    });
  }
}

/** The answer, unless whoever asked has gone before. What nobody waits for is not begun, or ends. */
function hear<T>(question: Question<T>, gone: AbortSignal | undefined): Promise<T> {
  if (gone === undefined) return question.answer;
  return new Promise<T>((resolve, reject) => {
    const leave = () => {
      question.askers -= 1;
      if (question.askers === 0) {
        question.lane.remove(question);
        question.abandoned.abort();
      }
      reject(clientGone());
    };
    gone.addEventListener('abort', leave, { once: true });
    const stay = () => gone.removeEventListener('abort', leave);
    question.answer.finally(stay).then(resolve, reject);
  });
}

function clientGone(): AppError {
  return new AppError('client-gone', STATISTICS_ERRORS['client-gone']);
}
