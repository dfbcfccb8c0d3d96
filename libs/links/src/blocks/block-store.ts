import type { BlockAction, BlockKind } from '@hopcount/contracts';
import { type Database, loadSql, type Transaction } from '@hopcount/postgres';
import { AppError } from '@hopcount/runtime';

import { type BlockValue, parseBlock, parseReason } from './parse-block.js';

const LIST_BLOCKS = loadSql(import.meta.url, 'sql/list-blocks.sql');
const COUNT_BLOCKS = `SELECT count(*) AS number FROM blocks
  WHERE ($1::text IS NULL OR kind = $1) AND ($2::text IS NULL OR strpos(value, lower($2)) > 0)`;
const FIND_BLOCK = `SELECT id, kind, value, action, reason, created_at AS "createdAt" FROM blocks WHERE kind = $1 AND value = $2`;
const INSERT_BLOCKS = `INSERT INTO blocks (kind, value, reason, action)
  SELECT given.kind, given.value, $3, $4 FROM unnest($1::text[], $2::text[]) AS given (kind, value)
  ON CONFLICT (kind, value) DO NOTHING RETURNING id`;
const EDIT_BLOCK = `UPDATE blocks SET reason = $3, action = $4
  WHERE kind = $1 AND value = $2 AND (reason, action) <> ($3, $4)`;
/** Held until the end: whoever changes blocks waits for who does so already. */
const NEXT_VERSION = 'UPDATE block_list SET version = version + 1';
const COUNT_KINDS = `SELECT count(*)::int AS blocks, count(*) FILTER (WHERE kind = 'pattern')::int AS patterns FROM blocks`;

/** What each gateway holds in memory: about 150 bytes a block. */
const MAX_BLOCKS = 250_000;
/** Each is looked for in every target. */
const MAX_PATTERNS = 1_000;
const MAX_ID = 2n ** 63n - 1n;

export interface BlockRecord extends BlockValue {
  id: string;
  action: BlockAction;
  reason: string;
  createdAt: Date;
}

export interface BlockQuery {
  kind: BlockKind | null;
  searchTerm: string | null;
  offset: number;
  limit: number;
}

/** Hosts, patterns and links that are blocked, or warned of. Gateways follow within seconds (FollowedBlocks), the api at once. */
export class BlockStore {
  constructor(private readonly database: Database) {}

  /** Newest first. */
  async list({ kind, searchTerm, offset, limit }: BlockQuery): Promise<{ blocks: BlockRecord[]; totalItems: number }> {
    return this.database.transaction(
      async (tx) => {
        const [count] = await tx.query<{ number: string }>(COUNT_BLOCKS, [kind, searchTerm]);
        const blocks = await tx.query<BlockRecord>(LIST_BLOCKS, [kind, searchTerm, limit, offset]);
        return { blocks, totalItems: Number(count?.number) };
      },
      { isolation: 'REPEATABLE READ', readOnly: true },
    );
  }

  /** As it would be kept. @throws AppError `invalid-data` */
  async parse(kind: BlockKind, value: string): Promise<BlockValue> {
    const domains = await this.database.query<{ authority: string; isDefault: boolean }>(
      'SELECT authority, is_default AS "isDefault" FROM domains',
    );
    const known = new Set(domains.map(({ authority }) => authority));
    const usual = domains.find(({ isDefault }) => isDefault)?.authority;
    // As a gateway would find it: hosts without links of their own show those of the default domain.
    return parseBlock(kind, value, (authority = '') => {
      return [authority, authority.replace(/:(80|443)$/, '')].find((name) => known.has(name)) ?? usual;
    });
  }

  /** Undefined: nothing like it is blocked. @throws AppError `invalid-data` */
  async find(kind: BlockKind, given: string): Promise<BlockRecord | undefined> {
    const block = await this.parse(kind, given);
    const [record] = await this.database.query<BlockRecord>(FIND_BLOCK, [block.kind, block.value]);
    return record;
  }

  /**
   * The block as it is kept; of one that is there already reason and action are set anew.
   * @throws AppError `invalid-data`, `block-list-full`
   */
  async add(kind: BlockKind, value: string, reason: string, action: BlockAction = 'block'): Promise<BlockRecord> {
    const why = parseReason(reason);
    const block = await this.parse(kind, value);
    return this.#change(async (tx) => {
      const isNew = (await insert(tx, [block], why, action)) > 0;
      if (!isNew) await tx.query(EDIT_BLOCK, [block.kind, block.value, why, action]);
      const [record] = await tx.query<BlockRecord>(FIND_BLOCK, [block.kind, block.value]);
      if (record === undefined) throw new Error('the block was just written');
      return record;
    });
  }

  /**
   * Any number, all or none of them.
   * @returns how many were not there
   * @throws AppError `invalid-data`, `block-list-full`
   */
  async addAll(blocks: readonly BlockValue[], reason: string, action: BlockAction = 'block'): Promise<number> {
    const why = parseReason(reason);
    return this.#change((tx) => insert(tx, blocks, why, action));
  }

  /** @throws AppError `block-not-found` */
  async remove(id: string): Promise<void> {
    const isId = /^\d{1,19}$/.test(id) && BigInt(id) <= MAX_ID;
    if (isId && (await this.#change((tx) => tx.execute('DELETE FROM blocks WHERE id = $1', [id]))).affected > 0) return;
    throw new AppError('block-not-found', `There is no block with the id "${id.slice(0, 100)}".`);
  }

  #change<Result>(work: (tx: Transaction) => Promise<Result>): Promise<Result> {
    return this.database.transaction(async (tx) => {
      await tx.query(NEXT_VERSION);
      return work(tx);
    });
  }
}

async function insert(
  tx: Transaction,
  blocks: readonly BlockValue[],
  reason: string,
  action: BlockAction,
): Promise<number> {
  if (blocks.length > MAX_BLOCKS) throw full();
  const inserted = await tx.query(INSERT_BLOCKS, [
    blocks.map(({ kind }) => kind),
    blocks.map(({ value }) => value),
    reason,
    action,
  ]);
  const [count] = await tx.query<{ blocks: number; patterns: number }>(COUNT_KINDS);
  if (count !== undefined && (count.blocks > MAX_BLOCKS || count.patterns > MAX_PATTERNS)) throw full();
  return inserted.length;
}

function full(): AppError {
  return new AppError(
    'block-list-full',
    `At most ${MAX_BLOCKS} blocks are kept, ${MAX_PATTERNS} patterns among them; nothing was added. Remove some first.`,
  );
}
