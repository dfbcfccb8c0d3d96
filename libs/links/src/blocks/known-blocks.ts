import type { BlockAction, BlockKind } from '@hopcount/contracts';
import { loadSql, type Queryable } from '@hopcount/postgres';

import { BlockList } from './block-list.js';

const READ_BLOCKS = loadSql(import.meta.url, 'sql/read-blocks.sql');
const READ_VERSION = 'SELECT version FROM block_list';

/** The blocks as PostgreSQL had them at the last look: all of them in memory, read again only when they have changed. */
export class KnownBlocks {
  #list = BlockList.NONE;
  #reading: Promise<void> | undefined;

  constructor(private readonly database: Queryable) {}

  /** Another object after each change. */
  get list(): BlockList {
    return this.#list;
  }

  /** @throws the driver's error; the list stays as it was */
  async look(): Promise<BlockList> {
    const [row] = await this.database.query<{ version: string }>(READ_VERSION);
    return this.at(row?.version ?? null);
  }

  /** For who has read the version of now with something else. @throws the driver's error */
  async at(version: string | null): Promise<BlockList> {
    const isOther = () => version !== null && BigInt(version) !== this.#list.version;
    // Read once for all who ask at once. What is being read already may be of an earlier version.
    if (isOther()) await this.#reading;
    if (isOther()) await (this.#reading ??= this.#read().finally(() => (this.#reading = undefined)));
    return this.#list;
  }

  async #read(): Promise<void> {
    type Row =
      { version: string; kind: BlockKind; value: string; action: BlockAction } | { version: string; kind: null };
    const rows = await this.database.query<Row>(READ_BLOCKS);
    const [first] = rows;
    if (first === undefined) return;
    const list = new BlockList(
      BigInt(first.version),
      rows.flatMap((row) => (row.kind === null ? [] : [row])),
    );
    // An older answer may come later. (After a restore to an earlier moment the next look reads again.)
    if (list.version !== this.#list.version) this.#list = list;
  }
}
