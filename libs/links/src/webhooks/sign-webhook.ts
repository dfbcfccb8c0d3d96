import { createHmac, randomBytes } from 'node:crypto';

const SECRET_BYTES = 32;
const SECRET_PREFIX = 'whsec_';

export function newWebhookSecret(): Buffer {
  return randomBytes(SECRET_BYTES);
}

/** As its owner gets it, once, and as libraries of the scheme take it. */
export function formatWebhookSecret(secret: Buffer): string {
  return SECRET_PREFIX + secret.toString('base64');
}

/**
 * Headers of a delivery by the Standard Webhooks specification (https://www.standardwebhooks.com): HMAC-SHA256 of
 * id, time and body. The id is the same each time an event is posted; the time is that of this post.
 */
export function webhookHeaders(
  secret: Buffer,
  { eventId, body, at }: { eventId: string; body: string; at: Date },
): Record<string, string> {
  const timestamp = Math.floor(at.getTime() / 1_000).toString();
  const signature = createHmac('sha256', secret).update(`${eventId}.${timestamp}.${body}`).digest('base64');
  return { 'webhook-id': eventId, 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${signature}` };
}
