import { parseMailAddress } from '@hopcount/links';
import { Mailer } from '@hopcount/outbound';
import { env } from '@hopcount/runtime';
import { z } from 'zod';

/** A display name without what headers are made of; then the address. */
const MAILBOX = /^(?:(?<name>[^<>"\p{C}]{1,100}?) *)?<(?<inner>[^<>]*)>$/u;

const smtpUrl = z
  .string()
  .refine(
    isSmtpUrl,
    'smtp://user:password@host:587 or smtps://…, with nothing after the port; special characters as %40',
  );

const mailbox = z.string().transform((text, context) => {
  const { name = '', inner = text } = MAILBOX.exec(text.trim())?.groups ?? {};
  const address = parseMailAddress(inner.trim());
  if (address !== undefined) return { name, address };
  context.addIssue({
    code: 'custom',
    message: 'an address, or a name and an address: Hopcount <hopcount@example.com>',
  });
  return z.NEVER;
});

/** The mail server of alerts by e-mail. */
export const mailSettings = {
  /** Unset: no e-mail is sent. */
  SMTP_URL: smtpUrl.optional(),
  SMTP_FROM: mailbox.optional(),
  /** Lets passwords and mail go to another machine without TLS. */
  SMTP_ALLOW_PLAIN: env.flag(false),
  /** Of the whole installation (UTC). */
  SMTP_MAILS_PER_DAY: env.positiveInt(1_000),
};

interface MailConfig {
  smtpUrl?: string | undefined;
  smtpFrom?: z.output<typeof mailbox> | undefined;
  smtpAllowPlain: boolean;
}

/** Half of the settings is a mistake: mail would wait and never be sent. */
export function checkMailSettings(
  { SMTP_URL, SMTP_FROM }: { SMTP_URL?: unknown; SMTP_FROM?: unknown },
  context: z.core.$RefinementCtx,
): void {
  const missing = (name: string, other: string) =>
    context.addIssue({ code: 'custom', path: [name], message: `needed with ${other}` });
  if (SMTP_URL !== undefined && SMTP_FROM === undefined) missing('SMTP_FROM', 'SMTP_URL');
  if (SMTP_URL === undefined && SMTP_FROM !== undefined) missing('SMTP_URL', 'SMTP_FROM');
}

/** undefined: there is no mail server. */
export function toMailer({ smtpUrl: url, smtpFrom: from, smtpAllowPlain: allowPlain }: MailConfig): Mailer | undefined {
  return url === undefined || from === undefined ? undefined : new Mailer({ url, from, allowPlain });
}

function isSmtpUrl(text: string): boolean {
  const url = URL.parse(text);
  if (url === null || !/^smtps?:$/.test(url.protocol) || url.hostname === '') return false;
  return ['', '/'].includes(url.pathname) && url.search === '' && url.hash === '' && isDecodable(url);
}

function isDecodable({ username, password }: URL): boolean {
  try {
    decodeURIComponent(username + password);
    return (username === '') === (password === '');
  } catch {
    // Its % begins no character.
    return false;
  }
}
