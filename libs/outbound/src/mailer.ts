import { AppError } from '@hopcount/runtime';
import { createTransport } from 'nodemailer';

import { failed } from './outcomes.js';

export interface MailerOptions {
  /** `smtp://user:password@host:587` (STARTTLS) or `smtps://…`: the operator's own server, so its address is not judged. */
  url: string;
  from: Mailbox;
  /** Sends without TLS where the server has none. On this machine that is so in any case. */
  allowPlain: boolean;
  /** From waiting for a turn to the last answer. */
  timeoutMs?: number;
  /** For specs: certificates that are believed. */
  ca?: string;
}

export interface Mailbox {
  name: string;
  address: string;
}

export interface Mail {
  /** Begins the Message-ID: the same each time this mail is sent. */
  id: string;
  /** One plain address. */
  to: string;
  subject: string;
  text: string;
}

const TIMEOUT_MS = 20_000;
/** Mail servers refuse clients with many connections. */
const AT_ONCE = 4;
const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/i;
/**
 * RFC 3463: there is no such mailbox or domain, or it is switched off. At RCPT TO and DATA servers also say what is wrong with us:
 * relaying, limits, our sender; and a mail that a filter refuses says nothing about the next one.
 */
const NO_SUCH_ADDRESS = /^5\d\d[ -]5\.(?:1\.(?:[1236]|10)|2\.1)\b/;
const SHOWN_CHARACTERS = 200;

/** As nodemailer makes them. */
interface MailError extends Error {
  command?: string;
  response?: string;
  /** 5xx, but for commands in the wrong order. */
  permanent?: boolean;
}

/** Sends plain text by one mail server, each mail on a connection of its own. */
export class Mailer {
  readonly #transport: ReturnType<typeof transportTo>;
  readonly #turns: (() => void)[] = [];
  #underWay = 0;

  constructor(private readonly options: MailerOptions) {
    this.#transport = transportTo(options);
  }

  /**
   * @returns what the server answered
   * @throws AppError `outbound-refused` (there is no such address), `outbound-failed` (retryable; with the reason `mail-turn` it was
   * not tried); the signal's reason
   */
  async send({ id, to, subject, text }: Mail, signal: AbortSignal): Promise<string> {
    const { from, timeoutMs = TIMEOUT_MS } = this.options;
    const ending = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
    const askedAtMs = performance.now();
    await this.#turn();
    try {
      signal.throwIfAborted();
      // In less than half of its time a slow server does not take it, either.
      if (performance.now() - askedAtMs > timeoutMs / 2) throw failed('mail-turn');
      const { response } = await this.#transport.sendMail({
        ...{ from, to: { name: '', address: to }, subject, text, signal: ending },
        messageId: `<${id}@${from.address.replace(/^.*@/, '')}>`,
        // Programs that answer mail by themselves do not answer this one.
        headers: { 'auto-submitted': 'auto-generated' },
      });
      return shown(response);
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof AppError) throw error;
      throw ending.aborted ? failed('timeout', error) : failureOf(error as MailError);
    } finally {
      // The turn itself is handed on: who comes meanwhile does not take it.
      const next = this.#turns.shift();
      if (next === undefined) this.#underWay -= 1;
      else next();
    }
  }

  /** Those under way end in time, so a turn comes. */
  async #turn(): Promise<void> {
    if (this.#underWay >= AT_ONCE) return new Promise<void>((resolve) => this.#turns.push(resolve));
    this.#underWay += 1;
  }
}

function transportTo({ url, allowPlain, timeoutMs = TIMEOUT_MS, ca }: MailerOptions) {
  const { protocol, hostname, port, username, password } = new URL(url);
  const isSecure = protocol === 'smtps:';
  // Without TLS would do, so any certificate does; many servers of one machine have one that they signed themselves.
  const isLocal = !isSecure && LOOPBACK.test(hostname);
  return createTransport({
    ...{ host: hostname.replace(/^\[|\]$/g, ''), port: port === '' ? undefined : Number(port) },
    ...(username !== '' && { auth: { user: decodeURIComponent(username), pass: decodeURIComponent(password) } }),
    ...{ secure: isSecure, requireTLS: !isLocal && !allowPlain, tls: { ca, rejectUnauthorized: !isLocal } },
    ...{ connectionTimeout: timeoutMs, greetingTimeout: timeoutMs, socketTimeout: timeoutMs, dnsTimeout: timeoutMs },
    // Where the time is over the connection ends, whatever the server does.
    socketCloseTimeout: 0,
    // A text is a text, never the name of a file or an address.
    ...{ disableFileAccess: true, disableUrlAccess: true },
  });
}

function failureOf(error: MailError): AppError {
  const { command = '', response, permanent = false } = error;
  if (response === undefined) return failed('mail-connection', error);
  const isFinal = permanent && command === 'RCPT TO' && NO_SUCH_ADDRESS.test(response);
  return new AppError(
    isFinal ? 'outbound-refused' : 'outbound-failed',
    `The mail server answered: ${shown(response)}`,
    { cause: error, retryable: !isFinal, details: { reason: 'mail' } },
  );
}

/** Strangers may have written parts of it. */
function shown(response: string): string {
  return response.replaceAll(/[\s\p{C}]+/gu, ' ').slice(0, SHOWN_CHARACTERS);
}
