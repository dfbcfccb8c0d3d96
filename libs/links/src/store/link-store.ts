import { type Database, DomainEntity, prepared, type Transaction } from '@hopcount/postgres';
import { AppError, isAppError, type Reach } from '@hopcount/runtime';

import { LinkCodes, type LinkCodesOptions } from '../codes/link-codes.js';
import { LinkFilter } from '../filter/link-filter.js';
import type { Snowflakes } from '../ids/snowflake.js';
import { groupNames } from '../organise/stored-groups.js';
import { changeLinks } from '../outbox/change-links.js';
import type { LinkOutbox, NewAnnouncement } from '../outbox/link-outbox.js';
import { PasswordHasher } from '../passwords/password-hasher.js';
import { type TargetJudge, TargetJudges } from '../targets/target-judge.js';
import { canonicalAuthority } from './authority.js';
import { type Created, createLinks, hasMadeGroup } from './create-links.js';
import { type Answered, answerEachOnce, answerOnce, type OnceOnly } from './idempotency.js';
import { toDraft, within } from './link-draft.js';
import { spellCode, spellDomain } from './names.js';
import { linkFromRow, type LinkRecord, type LinkRow, SELECT_LINKS } from './link-record.js';
import type { HashedLink, LinkDraft, NewLink } from './new-link.js';
import { type Asked, type Settled, SharedCreations, WrongOfOne } from './shared-creations.js';
import { shortUrlNotFound } from './store-errors.js';

/** $1 authority (null: the default domain), $2 code, $3 to $5 reach. */
const FIND_LINK = prepared(
  'find-link',
  `${SELECT_LINKS}
  WHERE links.code = $2 AND links.deleted_at IS NULL
    AND (domains.authority = $1 OR ($1::text IS NULL AND domains.is_default))
    AND within_reach(links.author_key_id, links.domain_id, links.group_id, $3, $4, $5)`,
);

export interface LinkStoreOptions extends LinkCodesOptions {
  defaultDomain: string;
  allowPrivateTargets: boolean;
  /** Of what links may lead to; absent: http and https. */
  targetSchemes?: readonly string[];
  /** Links without a title get that of the page they lead to, from the worker; absent: they do not. */
  autoResolveTitles?: boolean;
  /** Webhooks hear nothing of links that it creates: of imports. */
  isQuiet?: boolean;
  /** Bloom filter of codes and long URLs; absent: this process puts nothing into it. */
  filter?: LinkFilter;
}

/** 20 ms of a core each, one after the other. */
const PASSWORDS_AT_ONCE = 50;

/** What the client is told of the links, made in the transaction that made them; an error undoes all of it. */
type AnswerOf<Answer> = (created: readonly Created[], tx: Transaction) => Promise<Answer>;
type Create = (drafts: readonly (LinkDraft | AppError)[]) => Promise<Created[]>;

/** Creates and finds links. The unique key (domain, code) decides who gets a code, never a look before. */
export class LinkStore {
  readonly #codes: LinkCodes;
  readonly #judges: TargetJudges;
  readonly #shared = new SharedCreations((reach, asked, onCommit) => this.#createShared(reach, asked, onCommit));
  /** Authority of links that name no other. */
  readonly defaultDomain: string;
  readonly filter: LinkFilter;
  readonly passwords = new PasswordHasher();

  constructor(
    private readonly database: Database,
    snowflakes: Snowflakes,
    private readonly outbox: Pick<LinkOutbox, 'announce'>,
    private readonly options: LinkStoreOptions,
  ) {
    this.#codes = new LinkCodes(snowflakes, options);
    this.defaultDomain = canonicalAuthority(options.defaultDomain) ?? options.defaultDomain.toLowerCase();
    this.filter = options.filter ?? new LinkFilter();
    const { allowPrivateTargets, targetSchemes: schemes } = options;
    this.#judges = new TargetJudges(database, { defaultDomain: this.defaultDomain, allowPrivateTargets, schemes });
  }

  get resolvesTitles(): boolean {
    return this.options.autoResolveTitles === true;
  }

  /** Whether codes that differ in the case of letters only are the same code (LOOSE_CODES). */
  get hasLooseCodes(): boolean {
    return this.#codes.areLoose;
  }

  /** Equal for codes that are the same code here. */
  codeIdentity(code: string): string {
    return this.#codes.identityOf(code);
  }

  /** Makes sure that the default domain is filed; to be called before anything else. */
  async ensureDefaultDomain(): Promise<void> {
    await this.database.transaction(async ({ manager }) => {
      const domains = manager.getRepository(DomainEntity);
      const marked = await domains.findOneBy({ isDefault: true });
      if (marked?.authority === this.defaultDomain) return;
      // One row is the default; naming another one moves the mark (links stay with their domain).
      if (marked !== null) await domains.update(marked.id, { isDefault: false });
      await domains.upsert({ authority: this.defaultDomain, isDefault: true }, ['authority']);
    });
  }

  /**
   * The link with that code; `domain` null or the default one means the default domain.
   * @throws AppError `short-url-not-found`
   */
  async get(reach: Reach, code: string, domain: string | null): Promise<LinkRecord> {
    const link = await this.find(reach, code, domain);
    if (link !== undefined) return link;
    throw this.notFound(code, domain);
  }

  notFound(code: string, domain: string | null, what?: string): AppError {
    return shortUrlNotFound(code, this.nonDefault(domain), what);
  }

  async find(reach: Reach, code: string, domain: string | null): Promise<LinkRecord | undefined> {
    // Text with U+0000 names nothing, and PostgreSQL would refuse it as a parameter.
    if (code.includes('\u0000') || domain?.includes('\u0000') === true) return undefined;
    const named = [this.nonDefault(domain), spellCode(code)];
    const [row] = await this.database.query<LinkRow>(FIND_LINK, [...named, ...reach.values]);
    return row && linkFromRow(row);
  }

  /**
   * The new link, or the one that was taken instead. Those that come together are created in one transaction.
   * @throws AppError `invalid-data`, `unsafe-target`, `reserved-slug`, `non-unique-slug`,
   * `worker-lease-lost` (retryable), `passwords-busy` (retryable); database errors pass through
   */
  async createOrFind(reach: Reach, given: NewLink): Promise<Exclude<Created, { error: AppError }>> {
    const settled = await this.#shared.create(reach, { given: await this.#hashed(given) });
    return linkOf(settled as Created);
  }

  /** The same without saying which. */
  async create(reach: Reach, given: NewLink): Promise<LinkRecord> {
    return (await this.createOrFind(reach, given)).link;
  }

  /**
   * What `answer` makes of the link, in the transaction that makes it, for the first request of that key; the others are
   * answered the same.
   * @throws AppError as `createOrFind`, and `idempotency-key-reused`; what `answer` throws
   */
  async createOnce<Answer>(reach: Reach, given: NewLink, answer: AnswerOf<Answer>, only: OnceOnly): Promise<Answer> {
    const settled = await this.#shared.create(reach, { given: await this.#hashed(given), once: { only, answer } });
    if ('error' in settled) throw settled.error;
    return (settled as { answer: Answer }).answer;
  }

  /**
   * Creates any number of links in one transaction; what is wrong with one of them is its own result, in the order given.
   * Their author is the key of `reach`, whose domain they are on, if it has one. With `once` the answer is that of the first such request, and nothing is created again.
   * @throws what `answer` throws; AppError `idempotency-key-reused`, `worker-lease-lost` (retryable)
   */
  async createAll<Answer>(
    reach: Reach,
    given: readonly (NewLink | AppError)[],
    answer: AnswerOf<Answer>,
    once?: OnceOnly,
  ): Promise<Answer> {
    return this.#create(reach, await this.#hashAll(given), async (tx, create, drafts) => {
      const work = async () => {
        const created = await create(drafts);
        return { answer: await answer(created, tx), results: created.length };
      };
      return once === undefined ? (await work()).answer : answerOnce(tx, once, work);
    });
  }

  /** Of one author, all of them under keys or none. */
  #createShared(reach: Reach, asked: readonly Asked[], onCommit: () => void): Promise<readonly Settled[]> {
    const given = asked.map((one) => one.given);
    const onces = asked.flatMap(({ once }) => once ?? []);
    if (onces.length === 0) return this.#create(reach, given, (_, create, drafts) => create(drafts), onCommit);
    const answerAll = async (tx: Transaction, create: Create, drafts: readonly (LinkDraft | AppError)[]) => {
      const only = onces.map((once) => once.only);
      const answers = await answerEachOnce(tx, only, async (places) => {
        const created = await create(places.map((place) => drafts[place] as LinkDraft | AppError));
        const answered: (Answered<unknown> | AppError)[] = [];
        for (const [nth, place] of places.entries()) {
          const one = created[nth] as Created;
          if ('error' in one)
            answered.push(await asWrittenNothing(tx, one.error, drafts[place] as LinkDraft | AppError));
          else answered.push({ answer: await onces[place]?.answer([one], tx).catch(asWrongOfOne), results: 1 });
        }
        return answered;
      });
      return answers.map((answer) => (answer instanceof AppError ? { error: answer } : { answer }));
    };
    return this.#create(reach, given, answerAll, onCommit);
  }

  /** In one transaction, in which `work` has them created. */
  async #create<Result>(
    reach: Reach,
    given: readonly (HashedLink | AppError)[],
    work: (tx: Transaction, create: Create, drafts: readonly (LinkDraft | AppError)[]) => Promise<Result>,
    onCommit?: () => void,
  ): Promise<Result> {
    // Before the transaction has a connection: whoever waits for a second one while holding the first may wait for himself.
    const drafts = await this.#draftAll(reach, given);
    const { database, filter, resolvesTitles } = this;
    const means = { reach, codes: this.#codes, filter, resolvesTitles, isQuiet: this.options.isQuiet === true };
    let announcements: NewAnnouncement[] = [];
    const changes = { database, outbox: { announce: () => this.outbox.announce(announcements) }, onCommit };
    const run = async (tx: Transaction) => {
      announcements = [];
      const create = async (some: readonly (LinkDraft | AppError)[]) => {
        const created = await createLinks(tx, means, some);
        announcements = announcementsOf(created);
        return created;
      };
      return work(tx, create, drafts);
    };
    return filter.around(database, () => changeLinks(changes, run, () => announcements.length > 0));
  }

  async #hashed({ password, ...link }: NewLink): Promise<HashedLink> {
    return password == null ? link : { ...link, passwordHash: await this.passwords.hash(password) };
  }

  async #hashAll(given: readonly (NewLink | AppError)[]): Promise<(HashedLink | AppError)[]> {
    const withPassword = given.filter((link) => !(link instanceof AppError) && link.password != null);
    const tooMany = new Set(withPassword.slice(PASSWORDS_AT_ONCE));
    const hashed: (HashedLink | AppError)[] = [];
    for (const link of given) hashed.push(tooMany.has(link) ? tooManyPasswords() : await this.#hashedOrNot(link));
    return hashed;
  }

  /** What is wrong with its password is its own result. */
  async #hashedOrNot(link: NewLink | AppError): Promise<HashedLink | AppError> {
    if (link instanceof AppError || link.password == null) return link;
    try {
      return await this.#hashed(link);
    } catch (error) {
      if (isAppError(error, 'invalid-data')) return error;
      throw error;
    }
  }

  async #draftAll(reach: Reach, given: readonly (HashedLink | AppError)[]): Promise<(LinkDraft | AppError)[]> {
    const judge = await this.targetJudge();
    const groups = given.flatMap((link) => (link instanceof AppError ? [] : [link.groupId]));
    const groupOf = await groupNames(this.database, [...groups, ...(reach.groups ?? [])]);
    const rules = {
      defaultDomain: this.defaultDomain,
      groupOf,
      parseTarget: (longUrl: string, field?: string) => judge.parse(longUrl, field),
      isImport: this.options.isQuiet === true,
    };
    return given.map((link) => {
      if (link instanceof AppError) return link;
      try {
        return toDraft(within(reach, link, groupOf), rules);
      } catch (error) {
        if (isAppError(error)) return error;
        throw error;
      }
    });
  }

  /** What links may lead to, as of now. */
  targetJudge(): Promise<TargetJudge> {
    return this.#judges.now();
  }

  /** As it is stored; null: the default one. */
  nonDefault(domain: string | null): string | null {
    if (domain === null) return null;
    const authority = spellDomain(domain);
    return authority === this.defaultDomain ? null : authority;
  }
}

function tooManyPasswords(): AppError {
  const message = `At most ${PASSWORDS_AT_ONCE} links of a request can have a password: name the others in another one.`;
  return new AppError('invalid-data', message, { details: { invalidElements: ['password'] } });
}

function announcementsOf(created: readonly Created[]): NewAnnouncement[] {
  return created.flatMap((one) => {
    if (!('link' in one) || !one.isNew) return [];
    return [{ row: one.announcement, domain: one.link.domain, code: one.link.code }];
  });
}

/** A refusal that left nothing behind, so that the others need not be created again without it. @throws WrongOfOne otherwise */
async function asWrittenNothing(tx: Transaction, refusal: AppError, draft: LinkDraft | AppError): Promise<AppError> {
  if (await hasMadeGroup(tx, draft)) throw new WrongOfOne(refusal);
  return refusal;
}

/** One that fails leaves no key and nothing else: the others are created without it. */
function asWrongOfOne(error: unknown): never {
  throw isAppError(error) ? new WrongOfOne(error) : error;
}

/** @throws what was wrong with it */
export function linkOf(created: Created | undefined): Exclude<Created, { error: AppError }> {
  if (created === undefined) throw new Error('nothing was created');
  if ('error' in created) throw created.error;
  return created;
}
