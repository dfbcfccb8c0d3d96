import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { inspect } from 'node:util';

import { afterEach, beforeAll, describe, expect, it } from '@jest/globals';

import { makeCertificate, type Refusal, TestMailServer } from './mail-server.spec-helpers.js';
import { Mailer, type MailerOptions } from './mailer.js';

const USER = 'hop%40count:rather%20long';
const MAIL = { id: '7d0c', to: 'ada@example.com', subject: 'Alert: quiet', text: 'No visits.\n' };

let pair: ReturnType<typeof makeCertificate>;
const opened: { stop: () => Promise<void> }[] = [];

beforeAll(() => {
  pair = makeCertificate();
});
afterEach(async () => {
  await Promise.all(opened.splice(0).map((server) => server.stop()));
});

async function start(options: Parameters<typeof TestMailServer.start>[0] = {}): Promise<TestMailServer> {
  const server = await TestMailServer.start({ ...pair, ...options });
  opened.push(server);
  return server;
}

const mailer = (url: string, more: Partial<MailerOptions> = {}) =>
  new Mailer({ url, from: { name: 'Hopcount', address: 'hopcount@go.example' }, allowPlain: false, ...more });
const never = () => new AbortController().signal;

async function failureOf(sending: Promise<unknown>): Promise<{ code: string; message: string; all: string }> {
  const error = (await sending.then(
    () => new Error('nothing failed'),
    (reason: unknown) => reason,
  )) as { code: string; message: string };
  return { code: error.code, message: error.message, all: inspect(error, { depth: 6 }) };
}

async function silent(greeting: string): Promise<{ url: string; sockets: Socket[] }> {
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    sockets.push(socket.on('error', () => undefined).resume());
    socket.write(greeting);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  opened.push({ stop: () => Promise.resolve(void server.close()) });
  return { url: `smtp://127.0.0.1:${(server.address() as AddressInfo).port}`, sockets };
}

describe('a mail', () => {
  it('is one plain text for one address, with the Message-ID that its id makes', async () => {
    const server = await start({ hideSTARTTLS: true, allowInsecureAuth: true });
    const by = mailer(`smtp://${USER}@127.0.0.1:${server.port}`);
    expect(await by.send(MAIL, never())).toMatch(/^250 /);
    await by.send(MAIL, never());
    const [first, second] = server.mails;
    expect(first).toMatchObject({ from: 'hopcount@go.example', to: [MAIL.to], text: 'No visits.\r\n' });
    const { headers } = first!;
    expect([...headers.keys()].sort()).toEqual([
      ...['auto-submitted', 'content-transfer-encoding', 'content-type', 'date', 'from', 'message-id'],
      ...['mime-version', 'subject', 'to'],
    ]);
    expect(headers.get('content-type')).toBe('text/plain; charset=utf-8');
    expect([headers.get('from'), headers.get('to')]).toEqual(['Hopcount <hopcount@go.example>', MAIL.to]);
    expect([headers.get('message-id'), second!.headers.get('message-id')]).toEqual([
      ...['<7d0c@go.example>', '<7d0c@go.example>'],
    ]);
  });

  it('has no more headers, recipients or commands than that, whatever its texts hold', async () => {
    const server = await start();
    const by = mailer(`smtp://127.0.0.1:${server.port}`);
    const text = 'a\r\n.\r\nMAIL FROM:<eve@example.com>\r\n.. b\r\n“ü”\n';
    await by.send({ ...MAIL, subject: 'x\r\nBcc: eve@example.com\r\n\r\n<h1>“ü”', text }, never());
    const [{ to, headers, text: received }] = server.mails as [(typeof server.mails)[0]];
    expect([to, headers.has('bcc'), server.asked]).toEqual([[MAIL.to], false, [MAIL.to]]);
    expect(headers.get('subject')).toMatch(/^=\?UTF-8\?/);
    expect(received).toBe(text.replaceAll(/\r?\n/g, '\r\n'));
    for (const address of ['ada@example.com\r\nRCPT TO:<eve@example.com>', 'a@b.com, eve@example.com']) {
      await failureOf(by.send({ ...MAIL, to: address }, never()));
    }
    expect(server.asked.filter((address) => address.includes('eve'))).toEqual([]);
    expect(server.mails.flatMap((mail) => mail.to)).not.toContain('eve@example.com');
  });

  it('waits for its turn: a mail server refuses who opens many connections', async () => {
    const server = await start();
    const by = mailer(`smtp://127.0.0.1:${server.port}`);
    await Promise.all(Array.from({ length: 20 }, () => by.send(MAIL, never())));
    expect([server.mails.length, server.mostAtOnce <= 4]).toEqual([20, true]);
  });

  it('that does not get its turn in time was not tried, and says so', async () => {
    const { url } = await silent('');
    const by = mailer(url, { timeoutMs: 300 });
    const all = await Promise.all(Array.from({ length: 6 }, () => failureOf(by.send(MAIL, never()))));
    const waited = all.filter(({ message }) => message === 'Many mails wait for the mail server.');
    expect([all.length, waited.length]).toEqual([6, 2]);
  });
});

describe('TLS', () => {
  /** This machine, by an address that does not say so. */
  const ELSEWHERE = '[::ffff:127.0.0.1]';

  it('is spoken to smtps, and the login is told there', async () => {
    const server = await start({ secure: true });
    await mailer(`smtps://${USER}@127.0.0.1:${server.port}`, { ca: pair.cert }).send(MAIL, never());
    expect(server.mails).toMatchObject([{ isSecure: true, user: 'hop@count' }]);
  });

  it('is spoken where a server of this machine wants it, whoever signed its certificate', async () => {
    const server = await start();
    await mailer(`smtp://${USER}@127.0.0.1:${server.port}`).send(MAIL, never());
    expect(server.mails).toMatchObject([{ isSecure: true, user: 'hop@count' }]);
  });

  it('with a certificate that is not believed sends nothing', async () => {
    const server = await start({ secure: true });
    const { code, all } = await failureOf(mailer(`smtps://${USER}@127.0.0.1:${server.port}`).send(MAIL, never()));
    expect([code, server.mails, all.includes('rather long')]).toEqual(['outbound-failed', [], false]);
  });

  it('is begun before the login on another machine', async () => {
    const server = await start();
    const by = mailer(`smtp://${USER}@${ELSEWHERE}:${server.port}`);
    // Its certificate is of another address: what matters is that it did not go on without.
    expect([(await failureOf(by.send(MAIL, never()))).code, server.mails]).toEqual(['outbound-failed', []]);
  });

  it('is not done without on another machine, unless that was allowed', async () => {
    const server = await start({ hideSTARTTLS: true, disabledCommands: ['STARTTLS'], allowInsecureAuth: true });
    const url = `smtp://${USER}@${ELSEWHERE}:${server.port}`;
    expect((await failureOf(mailer(url).send(MAIL, never()))).code).toBe('outbound-failed');
    expect(server.mails).toEqual([]);
    await mailer(url, { allowPlain: true }).send(MAIL, never());
    expect(server.mails).toMatchObject([{ isSecure: false, user: 'hop@count' }]);
  });
});

describe('a mail server that refuses', () => {
  const REFUSALS: [NonNullable<Refusal>, string][] = [
    [{ at: 'RCPT TO', code: 550, text: '5.1.1 No such user' }, 'outbound-refused'],
    [{ at: 'RCPT TO', code: 550, text: '5.2.1 Mailbox is switched off' }, 'outbound-refused'],
    // Of us, or of this mail: another one may be taken.
    [{ at: 'RCPT TO', code: 554, text: '5.7.1 Relay access denied' }, 'outbound-failed'],
    [{ at: 'RCPT TO', code: 550, text: '5.4.5 Daily user sending limit exceeded' }, 'outbound-failed'],
    [{ at: 'DATA', code: 554, text: '5.7.1 Looks like spam' }, 'outbound-failed'],
    [{ at: 'RCPT TO', code: 450, text: '4.2.1 Later' }, 'outbound-failed'],
    [{ at: 'DATA', code: 452, text: '4.3.1 Full' }, 'outbound-failed'],
    // Of what the operator set: no address is to blame.
    [{ at: 'MAIL FROM', code: 550, text: '5.7.1 Not your sender' }, 'outbound-failed'],
  ];

  it.each(REFUSALS)('%j is %s', async (refusal, expected) => {
    const server = await start();
    server.refusal = refusal;
    const { code, message } = await failureOf(mailer(`smtp://127.0.0.1:${server.port}`).send(MAIL, never()));
    expect([code, message]).toEqual([expected, `The mail server answered: ${refusal.code} ${refusal.text}`]);
    expect(server.mails).toEqual([]);
  });

  it('a login is asked again, and nobody sees the password', async () => {
    const server = await start({ allowInsecureAuth: true, authOptional: false });
    const by = mailer(`smtp://someone:not-this-one@127.0.0.1:${server.port}`);
    const { code, message, all } = await failureOf(by.send(MAIL, never()));
    expect([code, message]).toEqual(['outbound-failed', 'The mail server answered: 535 Wrong password']);
    expect(all.includes('not-this-one') || all.includes(btoa('\0someone\0not-this-one'))).toBe(false);
  });
});

describe('a mail server that does not answer', () => {
  it.each(['', '220 hello\r\n', '250-x\r\n'])(
    'after %j is left in time, and the connection with it',
    async (greeting) => {
      const { url, sockets } = await silent(greeting);
      const { code } = await failureOf(mailer(url, { timeoutMs: 300 }).send(MAIL, never()));
      expect(code).toBe('outbound-failed');
      for (const socket of sockets) if (!socket.closed) await once(socket, 'close');
    },
  );

  it('is left when the caller ends', async () => {
    const { url } = await silent('');
    const caller = new AbortController();
    const sending = mailer(url).send(MAIL, caller.signal);
    caller.abort(new Error('stop'));
    await expect(sending).rejects.toThrow('stop');
  });

  it('is not there', async () => {
    const server = await TestMailServer.start();
    const url = `smtp://127.0.0.1:${server.port}`;
    await server.stop();
    const { code, message } = await failureOf(mailer(url).send(MAIL, never()));
    expect([code, message]).toEqual([
      'outbound-failed',
      'The connection to the mail server failed: it did not answer, offers no TLS, or its certificate is not trusted.',
    ]);
  });
});
