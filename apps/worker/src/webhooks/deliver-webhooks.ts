import { setTimeout as sleep } from 'node:timers/promises';

import { type DeliveryFailure, type TakenEvent, webhookHeaders, WebhookQueue } from '@hopcount/links';
import { OutboundFetcher } from '@hopcount/outbound';
import { isAppError } from '@hopcount/runtime';

import type { JobDefinition } from '../jobs/interval-job.js';
import type { JobsDeps } from '../jobs/start-jobs.js';

const INTERVAL_MS = 1_000;
/** How soon a webhook begins while others are still being posted to. */
const LOOK_EVERY_MS = 500;
/** Posts to one receiver at a time; there are at most 50 receivers. */
const POSTS_AT_ONCE = 4;
const USER_AGENT = 'Hopcount (webhooks)';
/** The receiver wants nothing any more. */
const GONE = 410;

export interface WebhookMeans {
  fetcher: Pick<OutboundFetcher, 'post'>;
  now: () => Date;
}

/** How a post went: `reason` says it in a sentence. */
interface Posted extends DeliveryFailure {
  isTaken: boolean;
}

/** A job that posts the events which wait for webhooks. Two of them at once take different events. */
export function deliverWebhooks(
  deps: Pick<JobsDeps, 'config' | 'database' | 'metrics' | 'logger'>,
  means: WebhookMeans = {
    fetcher: new OutboundFetcher({ userAgent: USER_AGENT, allowPrivate: deps.config.allowPrivateTargets }),
    now: () => new Date(),
  },
): JobDefinition {
  const delivery = new WebhookDelivery(new WebhookQueue(deps.database), deps, means);
  const waitsFor = 'EXISTS (SELECT FROM webhook_events)';
  return { name: 'deliver-webhooks', intervalMs: INTERVAL_MS, waitsFor, work: (signal) => delivery.run(signal) };
}

/** Each webhook has a lane of its own, so that a receiver that hangs or fails delays nobody else's events. */
class WebhookDelivery {
  constructor(
    private readonly queue: WebhookQueue,
    private readonly deps: Pick<JobsDeps, 'metrics' | 'logger'>,
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
    try {
      const headers = webhookHeaders(secret, { eventId, body, at: this.means.now() });
      const status = await this.means.fetcher.post(url, { headers, body, signal });
      const isTaken = status >= 200 && status < 300;
      return { reason: `The receiver answered ${status}.`, isTaken, isFinal: status === GONE };
    } catch (error) {
      if (signal.aborted) return 'interrupted';
      if (!isAppError(error, 'outbound-failed') && !isAppError(error, 'outbound-refused')) throw error;
      return { reason: error.message, isTaken: false, isFinal: false };
    }
  }
}
