import { readIndex, type SummaryIndex, type SummaryPlace } from './summary-block.js';

/** Links in the indexes that are remembered: some 100 bytes each. */
const REMEMBERED_LINKS = 100_000;

/** Where summaries of links are in files that were held against their SHA-256. */
export class FileSummaries {
  /** By id of the file, whose bytes never change. */
  readonly #indexes = new Map<string, SummaryIndex>();
  #links = 0;

  /** @returns undefined: there is none, the visits have to be read */
  async placeOf({ id, local }: { id: string; local: string }, linkId: string): Promise<SummaryPlace | undefined> {
    return (this.#indexes.get(id) ?? (await this.#read(id, local))).get(linkId);
  }

  async #read(id: string, local: string): Promise<SummaryIndex> {
    const index = await readIndex(local);
    const size = index.size + 1;
    if (this.#links + size > REMEMBERED_LINKS) {
      this.#indexes.clear();
      this.#links = 0;
    }
    this.#links += size;
    this.#indexes.set(id, index);
    return index;
  }
}
