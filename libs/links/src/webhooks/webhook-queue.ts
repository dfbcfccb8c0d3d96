import { type Database, loadSql, type Transaction } from '@hopcount/postgres';

import { afterFailure, type FailedState, nextAttempt, type WebhookState } from './back-off.js';

const QUEUE_EVENTS = 'SELECT queue_webhook_events($1, $2::bigint[])';
const FIND_DUE = loadSql(import.meta.url, 'sql/find-due.sql');
const TAKE_EVENTS = loadSql(import.meta.url, 'sql/take-events.sql');
const NOTE_DELIVERY = loadSql(import.meta.url, 'sql/note-delivery.sql');
const NOTE_FAILURE = loadSql(import.meta.url, 'sql/note-failure.sql');
const LOCK_WEBHOOK = `SELECT failures, failing_since AS "failingSince", resumes_at AS "resumesAt"
  FROM webhooks WHERE id = $1 AND enabled FOR NO KEY UPDATE`;
const NOTE_FAILED_EVENT = loadSql(import.meta.url, 'sql/note-failed-event.sql');
const COUNT_MAIL = loadSql(import.meta.url, 'sql/count-mail.sql');
/** So that no two mails at once are both the last one of a day. */
const LOCK_MAILS = `SELECT pg_advisory_xact_lock(hashtext('alert-mails'))`;
const UNCOUNT_MAIL = `UPDATE alert_mails SET mails = mails - 1
  WHERE day = ($1::timestamptz AT TIME ZONE 'UTC')::date AND address = $2 AND mails > 0`;
const TRIM_DELIVERIES = loadSql(import.meta.url, 'sql/trim-deliveries.sql');

/** Longer than a post may take: an event that is taken is nobody else's for so long. */
const LEASE_SECONDS = 60;

/** One that was taken, to be posted. */
export interface TakenEvent {
  webhookId: number;
  eventId: string;
  /** To be posted as it is. */
  body: string;
  url: string;
  secret: Buffer;
  /** This one included. */
  attempts: number;
}

/** Of a webhook so many events that were posted are kept, with how that went. */
export const DELIVERIES_KEPT = 100;

/** Refused ones included: whoever has somebody's address cannot fill a mailbox, nor get our mail server a bad name. */
export const MAILS_OF_A_DAY = 100;

export interface DeliveryFailure {
  /** A sentence for whoever looks after the webhook. */
  reason: string;
  /** The receiver says that it never wants to hear of us again. */
  isFinal: boolean;
  /** It was not tried, which is no failure: it goes on then. */
  goesOnAt?: Date | undefined;
}

/** Tells webhooks of links, in the transaction that edited them (create_links() does for new ones). Does nothing without webhooks. */
export async function queueLinkEvents(
  tx: Transaction,
  event: 'link.edited',
  linkIds: readonly string[],
): Promise<void> {
  if (linkIds.length > 0) await tx.query(QUEUE_EVENTS, [event, linkIds]);
}

/**
 * Events that wait to be posted. One that is taken ends with `delivered` or `failed`; if its taker dies before, it is taken
 * again a minute later, so a receiver may see it twice, under the same id. Whatever the time is, the caller says it.
 */
export class WebhookQueue {
  constructor(private readonly database: Database) {}

  /** Webhooks for which something can be posted. */
  async due(now: Date): Promise<number[]> {
    return (await this.database.query<{ id: number }>(FIND_DUE, [now])).map(({ id }) => id);
  }

  /** The oldest, at most `limit`; of a webhook that fails a single one, to see whether it still does. */
  take(webhookId: number, limit: number, now: Date): Promise<TakenEvent[]> {
    return this.database.query<TakenEvent>(TAKE_EVENTS, [webhookId, now, limit, LEASE_SECONDS]);
  }

  /** Before each mail. @returns the limit of today (UTC) that was reached, and nothing is counted: of the address, or of all together */
  countMail(address: string, now: Date, ofAll: number): Promise<'address' | 'all' | null> {
    return this.database.transaction(async (tx) => {
      await tx.query(LOCK_MAILS);
      const values = [now, address, MAILS_OF_A_DAY, ofAll];
      const [mail] = await tx.query<{ reached: 'address' | 'all' | null }>(COUNT_MAIL, values);
      return mail?.reached ?? null;
    });
  }

  /** Of a mail that no server answered. */
  async uncountMail(address: string, countedAt: Date): Promise<void> {
    await this.database.query(UNCOUNT_MAIL, [countedAt, address]);
  }

  /** @param answer a sentence, as of a failure */
  async delivered({ webhookId, eventId, attempts }: TakenEvent, answer: string, now: Date): Promise<void> {
    await this.database.query(NOTE_DELIVERY, [webhookId, eventId, now, attempts, answer]);
    // Whoever dies before leaves it to the next one.
    await this.database.query(TRIM_DELIVERIES, [webhookId, DELIVERIES_KEPT]);
  }

  /** `disabled`: that was the end of its webhook; `dropped`: of the event, which the receiver does not take. */
  failed(event: TakenEvent, failure: DeliveryFailure, now: Date): Promise<'put-off' | 'dropped' | 'disabled'> {
    const { webhookId, eventId, attempts } = event;
    return this.database.transaction(async (tx) => {
      const [state] = await tx.query<KeptState>(LOCK_WEBHOOK, [webhookId]);
      if (state === undefined) return 'disabled';
      const after = await noteFailure(tx, { webhookId, state, failure, now });
      const dueAt = after.isDisabled ? now : (failure.goesOnAt ?? nextAttempt(attempts, after, now));
      await tx.query(NOTE_FAILED_EVENT, [webhookId, eventId, now, attempts, failure.reason, dueAt]);
      await tx.query(TRIM_DELIVERIES, [webhookId, DELIVERIES_KEPT]);
      return after.isDisabled ? 'disabled' : dueAt === null ? 'dropped' : 'put-off';
    });
  }
}

type KeptState = WebhookState & Pick<FailedState, 'resumesAt'>;

/** Posts that were under way together and fail together are one failure. */
async function noteFailure(
  tx: Transaction,
  given: { webhookId: number; state: KeptState; failure: DeliveryFailure; now: Date },
): Promise<Pick<FailedState, 'failures' | 'resumesAt'> & { isDisabled: boolean }> {
  const { webhookId, state, now, failure } = given;
  const { reason, isFinal, goesOnAt } = failure;
  if (goesOnAt !== undefined) {
    const { failures, failingSince } = state;
    await tx.query(NOTE_FAILURE, [webhookId, now, reason, failures, failingSince, goesOnAt, null]);
    return { failures, resumesAt: goesOnAt, isDisabled: false };
  }
  if (state.resumesAt !== null && state.resumesAt > now && !isFinal) return { ...state, isDisabled: false };
  const { failures, failingSince, resumesAt } = afterFailure(state, now);
  const disabledReason = isFinal
    ? reason
    : resumesAt === null
      ? `Nothing could be delivered for a day: ${reason}`
      : null;
  await tx.query(NOTE_FAILURE, [webhookId, now, reason, failures, failingSince, resumesAt, disabledReason]);
  return { failures, resumesAt, isDisabled: disabledReason !== null };
}
