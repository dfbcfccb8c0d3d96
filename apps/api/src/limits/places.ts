import type { Asker } from '@hopcount/identities';
import { AppError } from '@hopcount/runtime';

import { API_ERRORS } from '../api.errors.js';

/** What this process does at once for everybody, and for each key and each user: nobody takes all places. */
export class Places {
  readonly #ofEach = new Map<string, number>();
  #taken = 0;

  constructor(
    private readonly most: { ofAll: number; ofOne: number },
    private readonly code: 'too-many-readers' | 'too-many-exports' | 'too-many-pages',
  ) {}

  /** @returns to be called when it leaves; again does nothing. @throws AppError of the code (retryable) */
  enter({ kind, id }: Pick<Asker, 'kind' | 'id'>): () => void {
    const whose = `${kind} ${id}`;
    const ofIt = this.#ofEach.get(whose) ?? 0;
    if (this.#taken >= this.most.ofAll || ofIt >= this.most.ofOne) {
      throw new AppError(this.code, API_ERRORS[this.code], { retryable: true });
    }
    this.#taken += 1;
    this.#ofEach.set(whose, ofIt + 1);
    let isIn = true;
    return () => {
      if (!isIn) return;
      isIn = false;
      this.#taken -= 1;
      const left = (this.#ofEach.get(whose) ?? 1) - 1;
      if (left === 0) this.#ofEach.delete(whose);
      else this.#ofEach.set(whose, left);
    };
  }
}
