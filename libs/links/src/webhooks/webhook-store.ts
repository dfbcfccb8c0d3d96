import type { WebhookDeliveryState, WebhookEvent } from '@hopcount/contracts';
import { type Database, loadSql } from '@hopcount/postgres';
import { AppError, isPublicHost } from '@hopcount/runtime';

import { parseTarget, unsafeTarget } from '../targets/target.js';
import { formatWebhookSecret, newWebhookSecret } from './sign-webhook.js';
import { DELIVERIES_KEPT } from './webhook-queue.js';

const LIST_WEBHOOKS = loadSql(import.meta.url, 'sql/list-webhooks.sql');
export const EDIT_WEBHOOK = loadSql(import.meta.url, 'sql/edit-webhook.sql');
const LIST_DELIVERIES = loadSql(import.meta.url, 'sql/list-deliveries.sql');
const RESEND_EVENT = loadSql(import.meta.url, 'sql/resend-event.sql');
const LOCK = 'LOCK TABLE webhooks IN SHARE ROW EXCLUSIVE MODE';
const COUNT = 'SELECT count(*)::integer AS webhooks FROM webhooks WHERE alert_id IS NULL';
const INSERT_WEBHOOK = `INSERT INTO webhooks (url, description, events, visits, secret)
  VALUES ($1, $2, $3, $4, $5) RETURNING id`;
const QUEUE_TEST = `INSERT INTO webhook_events (webhook_id, body)
  SELECT id, json_build_object('type', 'webhook.test', 'timestamp', $2::text, 'data', json_build_object())::text
  FROM webhooks WHERE id = $1 AND alert_id IS NULL AND enabled AND webhook_has_room(id) FOR KEY SHARE
  RETURNING event_id AS "eventId"`;

const FIND_DELIVERY = 'SELECT FROM webhook_deliveries WHERE webhook_id = $1 AND event_id = $2';

/** A worker posts for all of them at once, and each change of a link looks at them. */
const MAX_WEBHOOKS = 50;
const MAX_DESCRIPTION = 200;
/** Listed of those that wait for their first attempt; the webhook says how many there are. */
const NEXT_LISTED = 20;
const PUBLIC_PORTS = new Set(['', '80', '443']);

export interface WebhookFields {
  url: string;
  description: string;
  events: readonly WebhookEvent[];
  /** Numbers of visits that are told; some with `link.visits_reached`, else none. */
  visits: readonly number[];
}

export interface WebhookRecord {
  id: number;
  url: string;
  description: string;
  events: WebhookEvent[];
  visits: number[];
  enabled: boolean;
  disabledReason: string | null;
  failingSince: Date | null;
  failedAt: Date | null;
  failure: string | null;
  deliveredAt: Date | null;
  overflowedAt: Date | null;
  createdAt: Date;
  waiting: number;
}

export interface WebhookDelivery {
  eventId: string;
  /** As the body says it. */
  type: string;
  state: WebhookDeliveryState;
  attempts: number;
  /** Of the last attempt, in a sentence; null: there was none. */
  answer: string | null;
  attemptedAt: Date | null;
  /** null: it is not posted again. */
  nextAttemptAt: Date | null;
}

interface WebhookRow extends Omit<WebhookRecord, 'visits'> {
  visits: string[];
}

/** Who is told of links: makes, changes and lists webhooks. What is posted to them is the matter of WebhookQueue. */
export class WebhookStore {
  constructor(
    private readonly database: Database,
    private readonly options: { allowPrivateTargets: boolean },
  ) {}

  list(): Promise<WebhookRecord[]> {
    return this.#read(null);
  }

  /** With its secret, which is not shown again. @throws AppError `invalid-data`, `unsafe-target`, `too-many-webhooks` */
  async create(given: WebhookFields): Promise<{ webhook: WebhookRecord; secret: string }> {
    const { url, description, events, visits } = this.#parse(given);
    const secret = newWebhookSecret();
    const id = await this.database.transaction(async (tx) => {
      await tx.query(LOCK);
      const [count] = await tx.query<{ webhooks: number }>(COUNT);
      if ((count?.webhooks ?? 0) >= MAX_WEBHOOKS) {
        throw new AppError('too-many-webhooks', `There are ${MAX_WEBHOOKS} webhooks; delete one first.`);
      }
      const [row] = await tx.query<{ id: number }>(INSERT_WEBHOOK, [url, description, events, visits, secret]);
      return row?.id as number;
    });
    return { webhook: await this.get(id), secret: formatWebhookSecret(secret) };
  }

  /** What is absent stays. @throws AppError as create(), `webhook-not-found` */
  async edit(id: number, change: Partial<WebhookFields> & { enabled?: boolean | undefined }): Promise<WebhookRecord> {
    const { enabled = null, ...fields } = change;
    const before = await this.get(id);
    const after = this.#parse({
      url: fields.url ?? before.url,
      description: fields.description ?? before.description,
      events: fields.events ?? before.events,
      visits: fields.visits ?? before.visits,
    });
    const values = [id, JSON.stringify(after), enabled];
    const rows = await this.database.transaction((tx) => tx.query(EDIT_WEBHOOK, values));
    if (rows.length === 0) throw notFound(id);
    return this.get(id);
  }

  /** With all that waits for it. @throws AppError `webhook-not-found` */
  async remove(id: number): Promise<void> {
    const { affected } = await this.database.transaction((tx) =>
      tx.execute('DELETE FROM webhooks WHERE id = $1 AND alert_id IS NULL', [id]),
    );
    if (affected === 0) throw notFound(id);
  }

  /** Queues an event that says nothing. @throws AppError `webhook-not-found`, `invalid-data` when it is disabled or full */
  async test(id: number, now: Date): Promise<string> {
    const [row] = await this.database.query<{ eventId: string }>(QUEUE_TEST, [id, now.toISOString()]);
    if (row !== undefined) return row.eventId;
    throw notPosted(await this.get(id));
  }

  /** What waits for its first attempt, the next first, and what was tried, the last first. @throws AppError `webhook-not-found` */
  async deliveries(id: number): Promise<WebhookDelivery[]> {
    await this.get(id);
    return this.database.query<WebhookDelivery>(LIST_DELIVERIES, [id, DELIVERIES_KEPT, NEXT_LISTED]);
  }

  /**
   * Queues an event that was tried, under the same id; one that waits is due at once, as far as its webhook is.
   * @throws AppError `webhook-not-found`, `webhook-delivery-not-found`, `invalid-data` when it is disabled or full
   */
  async resend(id: number, eventId: string): Promise<void> {
    const [row] = await this.database.query(RESEND_EVENT, [id, eventId]);
    if (row !== undefined) return;
    const webhook = await this.get(id);
    const known = await this.database.query(FIND_DELIVERY, [id, eventId]);
    if (known.length > 0) throw notPosted(webhook);
    throw new AppError('webhook-delivery-not-found', `Nothing is known of an event ${eventId} of webhook ${id}.`);
  }

  /** @throws AppError `webhook-not-found` */
  async get(id: number): Promise<WebhookRecord> {
    const [webhook] = await this.#read(id);
    if (webhook === undefined) throw notFound(id);
    return webhook;
  }

  async #read(id: number | null): Promise<WebhookRecord[]> {
    const rows = await this.database.query<WebhookRow>(LIST_WEBHOOKS, [id]);
    return rows.map((row) => ({ ...row, visits: row.visits.map(Number) }));
  }

  #parse({ url: given, description, events, visits }: WebhookFields): WebhookFields {
    const url = parseWebhookUrl(given, this.options);
    if (description.length > MAX_DESCRIPTION || description.includes('\u0000')) {
      throw invalid('description', `The description may have at most ${MAX_DESCRIPTION} characters.`);
    }
    if (events.includes('link.visits_reached') !== visits.length > 0) {
      throw invalid('visits', 'Numbers of visits and the event link.visits_reached go together.');
    }
    return { url, description, events: [...new Set(events)], visits: [...new Set(visits)].sort((a, b) => a - b) };
  }
}

/** Where events may be posted to. @throws AppError `invalid-data`, `unsafe-target` */
export function parseWebhookUrl(given: string, { allowPrivateTargets }: { allowPrivateTargets: boolean }): string {
  const url = parseTarget(given, { ownAuthorities: [], allowPrivateTargets }, 'url');
  if (allowPrivateTargets) return url;
  if (!PUBLIC_PORTS.has(new URL(url).port)) throw invalid('url', 'Webhooks are posted to the ports 80 and 443 only.');
  if (!isPublicHost(new URL(url).hostname)) throw unsafeTarget('private-host', 'url');
  return url;
}

function notPosted({ id, enabled }: WebhookRecord): AppError {
  const why = enabled ? 'As many events wait as can' : 'It is disabled';
  return new AppError('invalid-data', `${why}, so nothing would be posted to webhook ${id}.`, { details: {} });
}

function invalid(field: string, message: string): AppError {
  return new AppError('invalid-data', message, { details: { invalidElements: [field] } });
}

function notFound(id: number): AppError {
  return new AppError('webhook-not-found', `There is no webhook ${id}.`);
}
