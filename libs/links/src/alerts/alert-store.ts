import { ALERT_CHANNELS, type AlertChannel, type AlertKind } from '@hopcount/contracts';
import { type Database, loadSql, type Queryable } from '@hopcount/postgres';
import { AppError } from '@hopcount/runtime';

import { formatWebhookSecret, newWebhookSecret } from '../webhooks/sign-webhook.js';
import { EDIT_WEBHOOK, parseWebhookUrl } from '../webhooks/webhook-store.js';
import { alertTestBody } from './alert-body.js';
import { mailDestination, parseMailAddress } from './mail-address.js';

const LIST = loadSql(import.meta.url, 'sql/list-alerts.sql');
const INSERT = loadSql(import.meta.url, 'sql/insert-alert.sql');
const EDIT = loadSql(import.meta.url, 'sql/edit-alert.sql');
const LOCK = 'LOCK TABLE alerts IN SHARE ROW EXCLUSIVE MODE';
const COUNT = `SELECT count(*)::integer AS all, count(*) FILTER (WHERE user_id = $1 OR api_key_id = $2)::integer AS own FROM alerts`;
const JUDGE = 'SELECT alert_is_seen(alerts) AS seen, alert_is_counted(alerts) AS counted FROM alerts WHERE id = $1';
const MAY_REACH = 'SELECT alert_may_reach(alerts, $2) AS "mayReach" FROM alerts WHERE id = $1';
const OWN_EMAIL = 'SELECT email FROM users WHERE id = $1';
const QUEUE_TEST = `INSERT INTO webhook_events (webhook_id, body)
  SELECT id, $2 FROM webhooks WHERE id = $1 AND enabled AND webhook_has_room(id) FOR KEY SHARE RETURNING event_id AS "eventId"`;

const ALERTS_OF_AN_OWNER = 50;
/** A worker checks all of them every quarter of an hour. */
const ALERTS_AT_MOST = 500;

export interface AlertOwner {
  userId: number | null;
  keyId: number | null;
  /** Sees and changes those of others, too. */
  ofEverybody: boolean;
}

/** What is watched. */
export type AlertSubject =
  | { of: 'all' }
  | { of: 'link'; linkId: string | bigint }
  | { of: 'tag'; tagId: number }
  | { of: 'group'; groupId: string }
  | { of: 'domain'; domainId: number }
  /** Its place in HOST_KINDS and its name, labels reversed; with all names below it. */
  | { of: 'host'; kind: number; name: string };

export interface AlertRule {
  name: string;
  windowMinutes: number;
  threshold: number;
  factor: number | null;
  timeZone: string;
}

/** Where messages go: one of the two; absent and null are the same. */
interface AlertReceiver {
  url?: string | null | undefined;
  email?: string | null | undefined;
}

export interface AlertRecord extends AlertRule {
  id: number;
  subject: AlertSubject['of'];
  domain: string | null;
  tag: string | null;
  group: string | null;
  shortCode: string | null;
  host: string | null;
  hostKind: number | null;
  kind: AlertKind;
  channel: AlertChannel;
  webhookId: number;
  /** null: it sends e-mail. */
  url: string | null;
  email: string | null;
  enabled: boolean;
  disabledReason: string | null;
  userId: number | null;
  keyId: number | null;
  /** The e-mail address of the user, or the name of the API key. */
  createdBy: string;
  /** See alert_may_reach(). null: any. */
  allowedEmail: string | null;
  watched: boolean;
  ongoing: boolean;
  toldAt: Date | null;
  checkedUntil: Date;
  deliveredAt: Date | null;
  failedAt: Date | null;
  failure: string | null;
  createdAt: Date;
}

/** Alerts, as their owners make, change and list them. A worker checks them; what they tell is posted as events of webhooks are. */
export class AlertStore {
  constructor(
    private readonly database: Database,
    private readonly options: { allowPrivateTargets: boolean; smtpFrom?: string | undefined },
  ) {}

  /** That new ones can have: e-mail needs a mail server. */
  get channels(): AlertChannel[] {
    return ALERT_CHANNELS.filter((channel) => channel !== 'email' || this.options.smtpFrom !== undefined);
  }

  list(owner: AlertOwner): Promise<AlertRecord[]> {
    return this.#read(owner, null);
  }

  /** @throws AppError `alert-not-found` */
  async get(owner: AlertOwner, id: number): Promise<AlertRecord> {
    const [alert] = await this.#read(owner, id);
    if (alert === undefined) throw notFound(id);
    return alert;
  }

  /**
   * With its secret, which is not shown again; null: e-mail is not signed.
   * @throws AppError `invalid-data`, `unsafe-target`, `email-not-configured`, `too-many-alerts`, `beyond-role`
   */
  async create(
    owner: AlertOwner,
    subject: AlertSubject,
    given: AlertRule & Pick<AlertRecord, 'kind' | 'channel'> & AlertReceiver,
  ): Promise<{ alert: AlertRecord; secret: string | null }> {
    const url = await this.#destination(owner.userId, given);
    const secret = newWebhookSecret();
    const values = { ...columnsOfOwner(owner), ...columnsOfSubject(subject), ...columnsOfRule(given) };
    const id = await this.database.transaction(async (tx) => {
      await tx.query(LOCK);
      const [count] = await tx.query<{ all: number; own: number }>(COUNT, [owner.userId, owner.keyId]);
      if (count !== undefined) expectRoom(count);
      const { kind, channel } = given;
      const [made] = await tx.query<{ id: number }>(INSERT, [
        JSON.stringify({ ...values, kind, channel }),
        url,
        secret,
      ]);
      const [judged] = await tx.query<{ seen: boolean; counted: boolean }>(JUDGE, [made?.id]);
      if (judged?.seen !== true) throw new AppError('beyond-role', 'You may not see all of these visits.');
      if (!judged.counted) throw tooLarge(subject.of);
      await expectReached(tx, made?.id, url);
      return made?.id as number;
    });
    return {
      alert: await this.get(owner, id),
      secret: given.channel === 'email' ? null : formatWebhookSecret(secret),
    };
  }

  /** What is absent stays. @throws AppError `alert-not-found`, `invalid-data`, `unsafe-target`, `email-not-configured` */
  async edit(
    owner: AlertOwner,
    id: number,
    change: Partial<AlertRule> & AlertReceiver & { enabled?: boolean | undefined },
  ): Promise<AlertRecord> {
    const before = await this.get(owner, id);
    const { channel, userId } = before;
    const given = change.url ?? change.email ?? null;
    const isMoved = given !== null && given !== (before.email ?? before.url);
    const url = isMoved ? await this.#destination(userId, { channel, ...change }) : undefined;
    const rule = columnsOfRule({ ...before, ...defined(change) });
    await this.database.transaction(async (tx) => {
      await tx.query(EDIT, [id, JSON.stringify(rule)]);
      await tx.query(EDIT_WEBHOOK, [before.webhookId, JSON.stringify({ url }), change.enabled ?? null]);
      if (url !== undefined) await expectReached(tx, id, url);
    });
    return this.get(owner, id);
  }

  /** With what waits to be posted. @throws AppError `alert-not-found` */
  async remove(owner: AlertOwner, id: number): Promise<void> {
    await this.get(owner, id);
    await this.database.transaction((tx) => tx.query('DELETE FROM alerts WHERE id = $1', [id]));
  }

  /** Queues a test. @throws AppError `alert-not-found`, `invalid-data` when nothing would be posted */
  async test(owner: AlertOwner, id: number, now: Date): Promise<string> {
    const { webhookId, channel, name, watched } = await this.get(owner, id);
    const body = alertTestBody(channel, name, now);
    const [row] = watched ? await this.database.query<{ eventId: string }>(QUEUE_TEST, [webhookId, body]) : [];
    if (row !== undefined) return row.eventId;
    throw new AppError('invalid-data', `Nothing would be posted: alert ${id} is disabled or not watched.`, {
      details: {},
    });
  }

  /** Where messages go, as it is stored. Without an address e-mail goes to that of the owner's account. */
  async #destination(userId: number | null, { channel, url, email }: AlertReceiver & Pick<AlertRecord, 'channel'>) {
    if (channel !== 'email') {
      if ((email ?? null) !== null) throw invalid('email', 'Only the channel email has an e-mail address.');
      if ((url ?? null) === null) throw invalid('url', 'Say where messages are posted.');
      return parseWebhookUrl(url as string, this.options);
    }
    if ((url ?? null) !== null) throw invalid('url', 'The channel email has no URL.');
    if (this.options.smtpFrom === undefined) throw notConfigured();
    const [user] = (email ?? null) === null ? await this.database.query<{ email: string }>(OWN_EMAIL, [userId]) : [];
    const given = email ?? user?.email;
    if (given === undefined) throw invalid('email', 'Name an e-mail address: an API key has none.');
    const address = parseMailAddress(given);
    if (address === undefined) throw invalid('email', 'Give one plain e-mail address, such as ada@example.com.');
    return mailDestination(address);
  }

  #read({ userId, keyId, ofEverybody }: AlertOwner, id: number | null): Promise<AlertRecord[]> {
    return this.database.query<AlertRecord>(LIST, [userId, keyId, ofEverybody, id]);
  }
}

/** @throws AppError `invalid-data` */
async function expectReached(tx: Queryable, id: number | undefined, destination: string): Promise<void> {
  const [may] = await tx.query<{ mayReach: boolean }>(MAY_REACH, [id, destination]);
  if (may?.mayReach === true) return;
  throw invalid(
    'email',
    'E-mail goes to the address of the account that the alert belongs to. Only owners of everything and API keys with admin may name another one.',
  );
}

function columnsOfOwner({ userId, keyId }: AlertOwner) {
  return { user_id: userId, api_key_id: keyId };
}

function columnsOfSubject(subject: AlertSubject): Record<string, unknown> {
  const kind = { subject: subject.of };
  switch (subject.of) {
    case 'all':
      return kind;
    case 'link':
      return { ...kind, link_id: String(subject.linkId) };
    case 'tag':
      return { ...kind, tag_id: subject.tagId };
    case 'group':
      return { ...kind, group_id: subject.groupId };
    case 'domain':
      return { ...kind, domain_id: subject.domainId };
    case 'host':
      return { ...kind, host_kind: subject.kind, host: subject.name };
  }
}

function columnsOfRule({ name, windowMinutes, threshold, factor, timeZone }: AlertRule) {
  return { name, window_minutes: windowMinutes, threshold, factor, time_zone: timeZone };
}

function defined<Given extends object>(given: Given): Partial<Given> {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as Partial<Given>;
}

/** @throws AppError `too-many-alerts` */
function expectRoom({ all, own }: { all: number; own: number }): void {
  if (own < ALERTS_OF_AN_OWNER && all < ALERTS_AT_MOST) return;
  const whose =
    own < ALERTS_OF_AN_OWNER ? `There are ${ALERTS_AT_MOST} alerts` : `You have ${ALERTS_OF_AN_OWNER} alerts`;
  throw new AppError('too-many-alerts', `${whose}, which is the limit. Delete one first.`);
}

function tooLarge(subject: AlertSubject['of']): AppError {
  const text =
    subject === 'tag'
      ? 'An alert takes a tag of at most 1,000 short URLs.'
      : 'An alert takes a host that is counted on its own and has at most 1,000 names below it.';
  return new AppError('invalid-data', text, { details: { invalidElements: [subject] } });
}

function notConfigured(): AppError {
  const text =
    'E-mail is not set up here. The operator has to set SMTP_FROM on the api and the workers, and SMTP_URL on the workers.';
  return new AppError('email-not-configured', text);
}

function invalid(field: string, message: string): AppError {
  return new AppError('invalid-data', message, { details: { invalidElements: [field] } });
}

function notFound(id: number): AppError {
  return new AppError('alert-not-found', `There is no alert ${id}.`);
}
