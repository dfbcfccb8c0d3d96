import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { SMTPServer, type SMTPServerOptions } from 'smtp-server';

export interface ReceivedMail {
  from: string;
  /** Of the envelope. */
  to: string[];
  user: string | undefined;
  isSecure: boolean;
  /** As they came, folded lines joined; names in lower case. */
  headers: Map<string, string>;
  text: string;
}

/** What a server says instead of yes. */
export type Refusal = { at: 'MAIL FROM' | 'RCPT TO' | 'DATA'; code: number; text: string } | undefined;

/** An SMTP server on this machine; the password of its users is `rather long`. */
export class TestMailServer {
  readonly mails: ReceivedMail[] = [];
  /** Addresses it was asked to take mail for, also where it refused. */
  readonly asked: string[] = [];
  mostAtOnce = 0;
  refusal: Refusal;
  #open = 0;
  readonly #server: SMTPServer;

  private constructor(options: SMTPServerOptions) {
    this.#server = new SMTPServer({
      ...{ authOptional: true, logger: false, closeTimeout: 100, ...options },
      onConnect: (_, done) => {
        this.#open += 1;
        this.mostAtOnce = Math.max(this.mostAtOnce, this.#open);
        done();
      },
      onClose: () => void (this.#open -= 1),
      onAuth: ({ username, password }, _, done) =>
        password === 'rather long' ? done(null, { user: username }) : done(new Error('Wrong password')),
      onMailFrom: (_, __, done) => done(this.#refused('MAIL FROM')),
      onRcptTo: ({ address }, _, done) => {
        this.asked.push(address);
        done(this.#refused('RCPT TO'));
      },
      onData: (stream, session, done) => {
        const { envelope, secure } = session;
        const user = session.user as string | undefined;
        const chunks: Buffer[] = [];
        stream.on('data', (chunk: Buffer) => chunks.push(chunk));
        stream.on('end', () => {
          const refused = this.#refused('DATA');
          if (refused !== null) return done(refused);
          const from = envelope.mailFrom === false ? '' : envelope.mailFrom.address;
          const to = envelope.rcptTo.map(({ address }) => address);
          this.mails.push({ from, to, user, isSecure: secure, ...parseMail(Buffer.concat(chunks).toString('latin1')) });
          done();
        });
      },
    });
    // What ends on the other side is no matter of the server.
    this.#server.on('error', () => undefined);
  }

  static async start(options: SMTPServerOptions = {}): Promise<TestMailServer> {
    const mailServer = new TestMailServer(options);
    const listening = mailServer.#server.listen(0, '127.0.0.1');
    await once(listening, 'listening');
    return mailServer;
  }

  get port(): number {
    return (this.#server.server.address() as AddressInfo).port;
  }

  async stop(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.close(resolve));
  }

  #refused(at: NonNullable<Refusal>['at']): Error | null {
    if (this.refusal?.at !== at) return null;
    const { code: responseCode, text } = this.refusal;
    return Object.assign(new Error(text), { responseCode });
  }
}

/** Of 127.0.0.1, signed by itself: `cert` is the authority as well. */
export function makeCertificate(): { key: string; cert: string } {
  const folder = mkdtempSync(join(tmpdir(), 'certificate-'));
  const [key, cert] = ['key.pem', 'cert.pem'].map((name) => join(folder, name)) as [string, string];
  const made = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2'];
  const names = ['-subj', '/CN=mail', '-addext', 'subjectAltName=IP:127.0.0.1'];
  execFileSync('openssl', [...made, ...names, '-keyout', key, '-out', cert], { stdio: 'pipe' });
  const pair = { key: readFileSync(key, 'utf8'), cert: readFileSync(cert, 'utf8') };
  rmSync(folder, { recursive: true });
  return pair;
}

function parseMail(raw: string): Pick<ReceivedMail, 'headers' | 'text'> {
  const [head = '', ...rest] = raw.split('\r\n\r\n');
  const lines = head.replaceAll(/\r\n[ \t]+/g, ' ').split('\r\n');
  const headers = new Map(
    lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 2)]),
  );
  return { headers, text: decoded(rest.join('\r\n\r\n'), headers.get('content-transfer-encoding') ?? '7bit') };
}

function decoded(body: string, encoding: string): string {
  if (encoding === 'base64') return Buffer.from(body, 'base64').toString();
  if (encoding !== 'quoted-printable') return Buffer.from(body, 'latin1').toString();
  const bytes = body
    .replaceAll('=\r\n', '')
    .replaceAll(/=([\dA-F]{2})/g, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)));
  return Buffer.from(bytes, 'latin1').toString();
}
