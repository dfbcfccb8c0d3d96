import { type Database, prepared } from '@hopcount/postgres';

import type { BlockList } from '../blocks/block-list.js';
import { KnownBlocks } from '../blocks/known-blocks.js';
import { OwnAuthorities } from './own-authorities.js';
import { parseTarget, unsafeTarget } from './target.js';

const READ_NOW = prepared(
  'targets-now',
  `SELECT ARRAY(SELECT authority FROM domains ORDER BY authority) AS domains,
    (SELECT version FROM block_list) AS version`,
);

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
    const url = URL.parse(target);
    if (url !== null && this.blocks.onTarget(url) === 'block') throw unsafeTarget('blocked', field);
  }
}

/** Knows the domains and blocks of now. */
export class TargetJudges {
  readonly #blocks: KnownBlocks;
  #domains: readonly string[] = [];
  #own: OwnAuthorities;

  constructor(
    private readonly database: Database,
    private readonly settings: TargetSettings,
  ) {
    this.#blocks = new KnownBlocks(database);
    this.#own = new OwnAuthorities([settings.defaultDomain]);
  }

  async now(): Promise<TargetJudge> {
    const [row] = await this.database.query<{ domains: string[]; version: string | null }>(READ_NOW);
    const blocks = await this.#blocks.at(row?.version ?? null);
    return new TargetJudge(this.#ownOf(row?.domains ?? []), blocks, this.settings);
  }

  /** Made again only when a domain has come or gone. */
  #ownOf(domains: readonly string[]): OwnAuthorities {
    const isSame = domains.length === this.#domains.length && domains.every((name, at) => name === this.#domains[at]);
    if (!isSame) {
      this.#domains = domains;
      this.#own = new OwnAuthorities(new Set([this.settings.defaultDomain, ...domains]));
    }
    return this.#own;
  }
}
