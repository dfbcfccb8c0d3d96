import { setTimeout as sleep } from 'node:timers/promises';

import { DAY_MS } from '@hopcount/ledger';
import {
  type DeliveryFailure,
  mailAddressOf,
  MAILS_OF_A_DAY,
  type MailText,
  type TakenEvent,
  webhookHeaders,
  WebhookQueue,
} from '@hopcount/links';
import { type Mailer, OutboundFetcher } from '@hopcount/outbound';
import { failpoint, isAppError } from '@hopcount/runtime';

import { toMailer } from '../alerts/mail.settings.js';

import type { JobDefinition } from '../jobs/interval-job.js';
import type { JobsDeps } from '../jobs/start-jobs.js';

const INTERVAL_MS = 1_000;
/** How soon a webhook begins while others are still being posted to. */
const LOOK_EVERY_MS = 500;
/** Posts to one receiver at a time; there are at most 50 receivers. */
const POSTS_AT_ONCE = 4;
const USER_AGENT = 'Hopcount (webhooks)';
/** Of a mail that did not get its turn. */
const TURN_PAUSE_MS = 5_000;
/** The receiver wants nothing any more. */
const GONE = 410;

export interface WebhookMeans {
  fetcher: Pick<OutboundFetcher, 'post'>;
  /** undefined: this worker has no mail server. */
  mailer?: Pick<Mailer, 'send'> | undefined;
  now: () => Date;
}

/** How a post went: `reason` says it in a sentence. */
interface Posted extends DeliveryFailure {
  isTaken: boolean;
}

/** A job that posts the events which wait for webhooks, and sends those of alerts by e-mail. Two of them at once take different events. */
export function deliverWebhooks(
  deps: Pick<JobsDeps, 'config' | 'database' | 'metrics' | 'logger'>,
  means: WebhookMeans = {
    fetcher: new OutboundFetcher({ userAgent: USER_AGENT, allowPrivate: deps.config.allowPrivateTargets }),
    mailer: toMailer(deps.config),
    now: () => new Date(),
  },
): JobDefinition {
  const delivery = new WebhookDelivery(new WebhookQueue(deps.database), deps, means);
  const waitsFor = 'EXISTS (SELECT FROM webhook_events)';
  return { name: 'deliver-webhooks', intervalMs: INTERVAL_MS, waitsFor, work: (signal) => delivery.run(signal) };
}

/** Each webhook has a lane of its own, so that a receiver that hangs or fails delays nobody else's events. */
class WebhookDelivery {
  /** The last day (UTC) on which the limit of all mails was logged. */
  #limitLoggedOn = '';

  constructor(
    private readonly queue: WebhookQueue,
    private readonly deps: Pick<JobsDeps, 'config' | 'metrics' | 'logger'>,
    private readonly means: WebhookMeans,
  ) {}

  /** Until nothing is due. @throws what ended a lane, once the others have ended */
  async run(signal: AbortSignal): Promise<void> {
    const lanes = new Map<number, Promise<void>>();
    const errors: Error[] = [];
    while (!signal.aborted && errors.length === 0) {
      for (const id of await this.queue.due(this.means.now())) {
        if (lanes.has(id)) continue;
        const lane = this.#empty(id, signal).catch((error: Error) => void errors.push(error));
        lanes.set(
          id,
          lane.then(() => void lanes.delete(id)),
        );
      }
      if (lanes.size === 0) break;
      await Promise.race([...lanes.values(), sleep(LOOK_EVERY_MS, undefined, { ref: false })]);
    }
    await Promise.all(lanes.values());
    for (const error of errors) throw error;
  }

  /** One lane: until nothing is due, or a post fails; then the webhook is looked at again after a pause. */
  async #empty(webhookId: number, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const events = await this.queue.take(webhookId, POSTS_AT_ONCE, this.means.now());
      if (events.length === 0) return;
      const areDelivered = await Promise.all(events.map((event) => this.#deliver(event, signal)));
      if (!areDelivered.every(Boolean)) return;
    }
  }

  async #deliver(event: TakenEvent, signal: AbortSignal): Promise<boolean> {
    const { metrics, logger } = this.deps;
    const posted = await this.#post(event, signal);
    failpoint('webhook-posted');
    if (posted === 'interrupted') return false;
    if (posted.isTaken) {
      await this.queue.delivered(event, posted.reason, this.means.now());
      metrics.webhookPosts.inc({ outcome: 'delivered' });
      return true;
    }
    const outcome = await this.queue.failed(event, posted, this.means.now());
    metrics.webhookPosts.inc({ outcome });
    const { webhookId, eventId } = event;
    logger[outcome === 'put-off' ? 'debug' : 'warn'](
      { webhookId, eventId, outcome, failure: posted },
      'a webhook failed',
    );
    return false;
  }

  /** What this process interrupts itself is taken again when its lease ends. */
  async #post(event: TakenEvent, signal: AbortSignal): Promise<Posted | 'interrupted'> {
    const { url, secret, eventId, body } = event;
    const address = mailAddressOf(url);
    try {
      if (address !== undefined) return await this.#mail(address, event, signal);
      const headers = webhookHeaders(secret, { eventId, body, at: this.means.now() });
      const status = await this.means.fetcher.post(url, { headers, body, signal });
      const isTaken = status >= 200 && status < 300;
      return { reason: `The receiver answered ${status}.`, isTaken, isFinal: status === GONE };
    } catch (error) {
      if (signal.aborted) return 'interrupted';
      const isRefused = isAppError(error, 'outbound-refused');
      if (!isRefused && !isAppError(error, 'outbound-failed')) throw error;
      // Users are told the answer only; why a mail server cannot be used is for the operator.
      if (address !== undefined) this.deps.logger.warn({ err: error }, 'a mail could not be sent');
      const goesOnAt = error.details['reason'] === 'mail-turn' ? this.#in(TURN_PAUSE_MS) : undefined;
      // What is wrong with a URL may be put right; a mail server that knows no such address means it.
      return { reason: error.message, isTaken: false, isFinal: isRefused && address !== undefined, goesOnAt };
    }
  }

  async #mail(to: string, { eventId: id, body }: TakenEvent, signal: AbortSignal): Promise<Posted> {
    const { mailer, now } = this.means;
    const putOff = (reason: string, goesOnAt?: Date): Posted => ({ reason, isTaken: false, isFinal: false, goesOnAt });
    if (mailer === undefined) return putOff('This worker has no mail server: the operator has to set SMTP_URL.');
    const countedAt = now();
    const reached = await this.queue.countMail(to, countedAt, this.deps.config.smtpMailsPerDay);
    if (reached !== null) return putOff(this.#limitOf(reached, countedAt), this.#untilTomorrow(countedAt));
    // A worker of an earlier version queued the JSON of a webhook.
    const { subject = 'Alert', text = body } = JSON.parse(body) as Partial<MailText>;
    try {
      const answer = await mailer.send({ id, to, subject, text }, signal);
      return { reason: `The mail server answered: ${answer}`, isTaken: true, isFinal: false };
    } catch (error) {
      if (!(isAppError(error) && error.details['reason'] === 'mail')) await this.queue.uncountMail(to, countedAt);
      throw error;
    }
  }

  #limitOf(reached: 'address' | 'all', now: Date): string {
    if (reached === 'address')
      return `${MAILS_OF_A_DAY} mails were sent to this address today, which is the limit. The rest is sent tomorrow (UTC).`;
    const limit = `All alerts together sent ${this.deps.config.smtpMailsPerDay} mails today, which is the limit (SMTP_MAILS_PER_DAY)`;
    const today = now.toISOString().slice(0, 10);
    if (this.#limitLoggedOn !== today) this.deps.logger.warn(`${limit}; the rest is sent tomorrow (UTC)`);
    this.#limitLoggedOn = today;
    return `${limit}. The rest is sent tomorrow (UTC).`;
  }

  #untilTomorrow(now: Date): Date {
    return new Date(now.getTime() - (now.getTime() % DAY_MS) + DAY_MS);
  }

  #in(ms: number): Date {
    return new Date(this.means.now().getTime() + ms);
  }
}
