import type { Database } from '@hopcount/postgres';
import { parseUrl } from '@hopcount/runtime';

import type { BlockList } from '../blocks/block-list.js';
import { KnownBlocks } from '../blocks/known-blocks.js';
import { OwnAuthorities } from './own-authorities.js';
import { parseTarget, unsafeTarget } from './target.js';

export interface TargetSettings {
  /** Canonical. */
  defaultDomain: string;
  allowPrivateTargets: boolean;
  /** Without `:`; absent: http and https. */
  schemes?: readonly string[] | undefined;
}

/** What links may lead to, as of one moment. */
export class TargetJudge {
  constructor(
    /** Hosts that visitors reach us at. */
    readonly own: OwnAuthorities,
    private readonly blocks: BlockList,
    private readonly settings: TargetSettings,
  ) {}

  /** As it is stored. @throws AppError `invalid-data`, `unsafe-target` */
  parse(longUrl: string, field?: string): string {
    const { allowPrivateTargets, schemes } = this.settings;
    const target = parseTarget(
      longUrl,
      { ownAuthorities: this.own.near(longUrl), allowPrivateTargets, schemes },
      field,
    );
    this.refuseBlocked(target, field);
    return target;
  }

  /** @throws AppError `unsafe-target` */
  refuseBlocked(target: string, field?: string): void {
    const url = parseUrl(target);
    if (url !== undefined && this.blocks.blocksTarget(url)) throw unsafeTarget('blocked', field);
  }
}

/** Knows the domains and blocks of now. */
export class TargetJudges {
  readonly #blocks: KnownBlocks;

  constructor(
    private readonly database: Database,
    private readonly settings: TargetSettings,
  ) {
    this.#blocks = new KnownBlocks(database);
  }

  async now(): Promise<TargetJudge> {
    const [domains, blocks] = await Promise.all([
      this.database.query<{ authority: string }>('SELECT authority FROM domains'),
      this.#blocks.look(),
    ]);
    const { defaultDomain } = this.settings;
    const own = new OwnAuthorities(new Set([defaultDomain, ...domains.map(({ authority }) => authority)]));
    return new TargetJudge(own, blocks, this.settings);
  }
}
