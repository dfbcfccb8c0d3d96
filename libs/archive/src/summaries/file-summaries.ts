import type { LocalFile } from '../store/archive-store.js';
import { readIndex, type SummaryIndex, type SummaryPlace } from './summary-block.js';

/** Links in the indexes that are remembered: some 100 bytes each. */
const REMEMBERED_LINKS = 100_000;

type KnownFile = Pick<LocalFile<{ id: string }>, 'id' | 'local' | 'stamp'>;

/** Where summaries of links are in files that were held against their SHA-256. */
export class FileSummaries {
  /** By id and stamp of the file: with that stamp it was what was sealed. */
  readonly #indexes = new Map<string, SummaryIndex>();
  #links = 0;

  /** @returns undefined: there is none, the visits have to be read */
  async placeOf({ id, local, stamp }: KnownFile, linkId: string): Promise<SummaryPlace | undefined> {
    const key = `${id} ${stamp}`;
    return (this.#indexes.get(key) ?? (await this.#read(key, local))).get(linkId);
  }

  async #read(key: string, local: string): Promise<SummaryIndex> {
    const index = await readIndex(local);
    const size = index.size + 1;
    if (this.#links + size > REMEMBERED_LINKS) {
      this.#indexes.clear();
      this.#links = 0;
    }
    this.#links += size;
    this.#indexes.set(key, index);
    return index;
  }
}
