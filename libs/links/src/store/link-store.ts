import { type Database, DomainEntity, GroupEntity, loadSql, type Transaction } from '@hopcount/postgres';
import { AppError } from '@hopcount/runtime';

import { parseCustomSlug } from '../codes/custom-slug.js';
import { RANDOM_CODE_LENGTH, randomCode } from '../codes/random-code.js';
import { SnowflakeCodes } from '../codes/snowflake-code.js';
import type { Snowflakes } from '../ids/snowflake.js';
import type { LinkOutbox } from '../outbox/link-outbox.js';
import { parseTarget } from '../targets/target.js';
import { canonicalAuthority, parseAuthority } from './authority.js';
import { normalizeGroupId, normalizeTags, normalizeTitle } from './link-fields.js';
import { linkFromRow, type LinkRecord, type LinkRow, SELECT_LINKS } from './link-record.js';
import { DEFAULT_SETTINGS, type LinkSettings, settingsOf, type SomeSettings, toColumns } from './link-settings.js';
import { addTags } from './link-tags.js';

const INSERT_LINK = loadSql(import.meta.url, 'sql/insert-link.sql');
/** $1 authority (null: the default domain), $2 code. */
const FIND_LINK = `${SELECT_LINKS}
  WHERE links.code = $2 AND links.deleted_at IS NULL
    AND (domains.authority = $1 OR ($1::text IS NULL AND domains.is_default))`;

export type CodeStrategy = 'random' | 'snowflake';

const CODE_ATTEMPTS = 12;
/** From this collision on codes grow: the short ones are getting used up. */
const COLLISIONS_BEFORE_LONGER = 3;

/** Settings that are absent are the default ones. */
export interface NewLink extends SomeSettings {
  longUrl: string;
  /** null: a generated code. */
  customSlug: string | null;
  /** null: the default domain. Any other is created when it is new. */
  domain: string | null;
  title: string | null;
  tags: readonly string[];
  groupId: string | null;
}

export interface LinkStoreOptions {
  defaultDomain: string;
  codeStrategy: CodeStrategy;
  /** Key of the snowflake codes. */
  secret: string;
  allowPrivateTargets: boolean;
  /** Replaces the random codes in tests. */
  makeRandomCode?: (length: number) => string;
}

/** Creates and finds links. The unique key (domain, code) decides who gets a code, never a look before. */
export class LinkStore {
  readonly #snowflakeCodes: SnowflakeCodes;
  readonly #defaultDomain: string;

  constructor(
    private readonly database: Database,
    private readonly snowflakes: Snowflakes,
    private readonly outbox: Pick<LinkOutbox, 'announce'>,
    private readonly options: LinkStoreOptions,
  ) {
    this.#snowflakeCodes = new SnowflakeCodes(options.secret);
    this.#defaultDomain = canonicalAuthority(options.defaultDomain) ?? options.defaultDomain.toLowerCase();
  }

  /** Makes sure that the default domain is filed; to be called before anything else. */
  async ensureDefaultDomain(): Promise<void> {
    await this.database.transaction(async ({ manager }) => {
      const domains = manager.getRepository(DomainEntity);
      const marked = await domains.findOneBy({ isDefault: true });
      if (marked?.authority === this.#defaultDomain) return;
      // One row is the default; naming another one moves the mark (links stay with their domain).
      if (marked !== null) await domains.update(marked.id, { isDefault: false });
      await domains.upsert({ authority: this.#defaultDomain, isDefault: true }, ['authority']);
    });
  }

  /**
   * The link with that code; `domain` null or the default one means the default domain.
   * @throws AppError `short-url-not-found`
   */
  async get(code: string, domain: string | null): Promise<LinkRecord> {
    const link = await this.find(code, domain);
    if (link !== undefined) return link;
    const named = this.#nonDefault(domain);
    throw new AppError('short-url-not-found', `There is no short URL "${code}"${onDomain(named)}.`, {
      details: { shortCode: code, ...(named === null ? {} : { domain: named }) },
    });
  }

  async find(code: string, domain: string | null): Promise<LinkRecord | undefined> {
    // Text with U+0000 names nothing, and PostgreSQL would refuse it as a parameter.
    if (code.includes('\u0000') || domain?.includes('\u0000') === true) return undefined;
    const [row] = await this.database.query<LinkRow>(FIND_LINK, [this.#nonDefault(domain), code.normalize('NFC')]);
    return row && linkFromRow(row);
  }

  /**
   * @throws AppError `invalid-data`, `unsafe-target`, `reserved-slug`, `non-unique-slug`,
   * `worker-lease-lost` (retryable); database errors pass through
   */
  async create(given: NewLink): Promise<LinkRecord> {
    const domain = this.#nonDefault(given.domain);
    const draft: Draft = {
      authority: domain === null ? this.#defaultDomain : parseAuthority(domain),
      isDefaultDomain: domain === null,
      customCode: given.customSlug === null ? null : parseCustomSlug(given.customSlug),
      tags: normalizeTags(given.tags),
      fields: {
        longUrl: await this.parseTarget(given.longUrl),
        title: normalizeTitle(given.title),
        groupId: normalizeGroupId(given.groupId),
        ...DEFAULT_SETTINGS,
        ...settingsOf(given),
      },
    };
    if (draft.fields.expiredUrl !== null)
      draft.fields.expiredUrl = await this.parseTarget(draft.fields.expiredUrl, 'expiredUrl');
    const link = await this.#insertUnderFreeCode(draft);
    await this.outbox.announce();
    return link;
  }

  async #insertUnderFreeCode(draft: Draft): Promise<LinkRecord> {
    for (let collisions = 0; collisions < CODE_ATTEMPTS; collisions++) {
      const id = this.snowflakes.next();
      const code = draft.customCode ?? this.#generateCode(id, collisions);
      const inserted = await this.database.transaction((tx) => insertLink(tx, draft, id, code), { conflictRetries: 4 });
      if (inserted !== undefined) {
        const { authority: domain, isDefaultDomain, tags, fields } = draft;
        return { id: id.toString(), code, domain, isDefaultDomain, tags, ...fields, ...inserted };
      }
      // Deleted links keep their code, so `find` would not see every reason; a custom slug is simply taken.
      if (draft.customCode !== null) throw nonUnique(draft.customCode, draft);
    }
    throw new AppError('codes-exhausted', `${CODE_ATTEMPTS} generated codes were all taken.`);
  }

  #generateCode(id: bigint, collisions: number): string {
    if (this.options.codeStrategy === 'snowflake') return this.#snowflakeCodes.encode(id);
    const extra = Math.max(0, collisions - COLLISIONS_BEFORE_LONGER + 1);
    return (this.options.makeRandomCode ?? randomCode)(RANDOM_CODE_LENGTH + extra);
  }

  /** What a link may lead to, as it is stored. @throws AppError `invalid-data`, `unsafe-target` */
  async parseTarget(longUrl: string, field?: string): Promise<string> {
    const { allowPrivateTargets } = this.options;
    return parseTarget(longUrl, { ownAuthorities: await this.#ownAuthorities(), allowPrivateTargets }, field);
  }

  async #ownAuthorities(): Promise<string[]> {
    const domains = await this.database.repository(DomainEntity).find();
    return [this.#defaultDomain, ...domains.map(({ authority }) => authority)];
  }

  #nonDefault(domain: string | null): string | null {
    if (domain === null) return null;
    const authority = canonicalAuthority(domain) ?? domain;
    return authority === this.#defaultDomain ? null : authority;
  }
}

interface Draft {
  authority: string;
  isDefaultDomain: boolean;
  customCode: string | null;
  tags: string[];
  fields: LinkSettings & Pick<LinkRecord, 'longUrl' | 'title' | 'groupId'>;
}

type Inserted = Pick<LinkRecord, 'createdAt' | 'version'>;

/** undefined when the code is taken */
async function insertLink(tx: Transaction, draft: Draft, id: bigint, code: string): Promise<Inserted | undefined> {
  const { authority, fields } = draft;
  const { groupId } = fields;
  const insert = () => tx.manager.createQueryBuilder().insert().orIgnore();
  if (!draft.isDefaultDomain) await insert().into(DomainEntity).values({ authority }).execute();
  if (groupId !== null) await insert().into(GroupEntity).values({ id: groupId, name: groupId }).execute();
  const values = [id.toString(), authority, code, toColumns({ ...fields })];
  const [created] = await tx.query<{ created_at: Date; version: string }>(INSERT_LINK, values);
  if (created === undefined) return undefined;
  await addTags(tx, id.toString(), draft.tags);
  return { createdAt: created.created_at, version: created.version };
}

function nonUnique(code: string, draft: Draft): AppError {
  const domain = draft.isDefaultDomain ? null : draft.authority;
  return new AppError('non-unique-slug', `The slug "${code}"${onDomain(domain)} is already taken.`, {
    details: { customSlug: code, ...(domain === null ? {} : { domain }) },
  });
}

function onDomain(domain: string | null): string {
  return domain === null ? '' : ` on the domain "${domain}"`;
}
