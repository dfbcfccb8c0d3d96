import { BUCKET_MS } from '@hopcount/contracts';
import { type AlertRecord, AlertStore } from '@hopcount/links';
import { TestMailServer } from '@hopcount/outbound/spec-helpers';
import { createLogger, type Logger, Registry } from '@hopcount/runtime';
import { testApiKey } from '@hopcount/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';

import { deliverWebhooks } from '../webhooks/deliver-webhooks.js';
import type { WorkerConfig } from '../worker.config.js';
import { createWorkerMetrics } from '../worker.metrics.js';
import { AlertsSpec, DAY, START } from './check-alerts.spec-helpers.js';
import { checkAt, runKilled } from './killed-worker.spec-helpers.js';
import { toMailer } from './mail.settings.js';

const OWN = 'a@x.test';
const FROM = { name: 'Hopcount', address: 'hopcount@go.example' };
const LEASE_MS = 61_000;
const EMAIL = { channel: 'email' } as const;

let spec: AlertsSpec;
let server: TestMailServer;
/** By which the clock of the worker is ahead. */
let aheadMs = 0;
/** Mails of a day of all alerts together. */
let mailsPerDay = 1_000;
/** What the worker logged. */
const warnings: string[] = [];

beforeAll(async () => {
  spec = await AlertsSpec.open();
});
beforeEach(async () => {
  server = await TestMailServer.start();
  aheadMs = 0;
  mailsPerDay = 1_000;
  warnings.length = 0;
});
afterEach(async () => {
  await spec.clear();
  await server.stop();
});
afterAll(() => spec.close());

const quarter = (nth: number) => START + nth * BUCKET_MS;
const config = () => ({
  ...{
    smtpUrl: `smtp://127.0.0.1:${server.port}`,
    smtpFrom: FROM,
    smtpAllowPlain: false,
    smtpMailsPerDay: mailsPerDay,
  },
});
const logger = {
  ...createLogger({ name: 'test', level: 'silent' }),
  warn: (...given: unknown[]) => void warnings.push(String(given.at(-1))),
} as unknown as Logger;
/** @param mailer null: the worker has none */
const deliver = (mailer: ReturnType<typeof toMailer> | null = toMailer(config())) =>
  deliverWebhooks(
    {
      ...{
        config: { smtpMailsPerDay: mailsPerDay, allowPrivateTargets: false } as WorkerConfig,
        database: spec.database,
      },
      ...{ metrics: createWorkerMetrics(new Registry()), logger },
    },
    {
      fetcher: { post: () => Promise.reject(new Error('posted')) },
      mailer: mailer ?? undefined,
      now: () => new Date(Date.now() + aheadMs),
    },
  ).work(new AbortController().signal);
const state = async (): Promise<AlertRecord> => (await spec.alerts.list(spec.owner()))[0]!;
const ids = () => server.mails.map(({ headers }) => headers.get('message-id'));
/** Told, but not sent. */
const told = async () => {
  await spec.make('below', await spec.link(1), EMAIL);
  await spec.runAt(quarter(1));
};
const untilResumed = async () => {
  const [row] = await spec.server.query<{ resumes_at: Date }>('SELECT resumes_at FROM webhooks');
  aheadMs = row!.resumes_at.getTime() - Date.now() + 1;
};

describe('an alert by e-mail', () => {
  it('is sent once, to the address of the account, and says what happened in words', async () => {
    const { secret } = await spec.make('below', await spec.link(1), { ...EMAIL, name: 'Sale page is quiet' });
    await spec.runAt(quarter(1));
    await deliver();
    await deliver();
    expect(server.mails).toMatchObject([{ from: FROM.address, to: [OWN] }]);
    const [{ headers, text }] = server.mails as [(typeof server.mails)[0]];
    expect([headers.get('subject'), headers.get('to'), secret]).toEqual(['Alert: Sale page is quiet', OWN, null]);
    expect(headers.get('message-id')).toMatch(/^<[\da-f-]{36}@go\.example>$/);
    expect(text.split('\r\n')).toEqual([
      'sho.rt/c1 had 0 visits from 2026-11-18 09:15 to 2026-11-18 10:15 (UTC).',
      'The alert tells of fewer than 1 visit.',
      '',
      'Statistics: https://go.example.com/links/c1?domain=sho.rt',
      '',
      'Hopcount sends this because of the alert “Sale page is quiet”.',
      'Change or delete it: https://go.example.com/alerts',
      '',
    ]);
    expect(await state()).toMatchObject({ url: null, email: OWN, deliveredAt: expect.any(Date), enabled: true });
  });

  it('compares with what is typical, in its zone', async () => {
    await spec.make('drop', await spec.link(1), { ...EMAIL, timeZone: 'Asia/Kolkata', windowMinutes: 15, factor: 2.5 });
    for (let ago = 1; ago <= 7; ago += 1) await spec.visits(1, quarter(0) - ago * DAY, 40);
    await spec.visits(1, quarter(0), 1);
    await spec.runAt(quarter(1));
    await deliver();
    expect(server.mails[0]?.text.split('\r\n').slice(0, 3)).toEqual([
      'sho.rt/c1 had 1 visit from 2026-11-18 15:30 to 2026-11-18 15:45 (Asia/Kolkata).',
      'Typical for this time: 40 visits.',
      'The alert tells of the typical number divided by 2.5, or less.',
    ]);
  });

  it('is sent later under the same Message-ID when the server could not take it', async () => {
    await told();
    server.refusal = { at: 'RCPT TO', code: 450, text: '4.2.1 Try again later' };
    await deliver();
    expect([server.mails, await state()]).toMatchObject([
      [],
      { enabled: true, failure: 'The mail server answered: 450 4.2.1 Try again later' },
    ]);
    const [waiting] = await spec.server.query<{ event_id: string }>('SELECT event_id FROM webhook_events');
    server.refusal = undefined;
    await untilResumed();
    await deliver();
    expect(ids()).toEqual([`<${waiting!.event_id}@go.example>`]);
  });

  it('is sent later when no mail server was there, and when a worker had none', async () => {
    await told();
    const { port } = server;
    const mailer = toMailer(config());
    await server.stop();
    await deliver(mailer);
    const { failure } = await state();
    expect(failure).toBe(
      'The connection to the mail server failed: it did not answer, offers no TLS, or its certificate is not trusted.',
    );
    // Where it is asked is no matter of users.
    expect(failure).not.toContain(String(port));
    server = await TestMailServer.start();
    await untilResumed();
    await deliver(null);
    expect((await state()).failure).toContain('SMTP_URL');
    await untilResumed();
    await deliver();
    expect(server.mails).toHaveLength(1);
  });

  it('of an address that the server refuses for good is disabled and says why, until it is enabled', async () => {
    await told();
    server.refusal = { at: 'RCPT TO', code: 550, text: '5.1.1 No such user' };
    await deliver();
    const reason = 'The mail server answered: 550 5.1.1 No such user';
    expect(await state()).toMatchObject({ enabled: false, disabledReason: reason });
    server.refusal = undefined;
    aheadMs = DAY;
    await deliver();
    expect(server.asked).toEqual([OWN]);
    await spec.alerts.edit(spec.owner(), (await state()).id, { enabled: true });
    await deliver();
    expect(ids()).toHaveLength(1);
  });

  it.each(['alert-decided', 'alert-queued'])('is sent once after a worker was killed at %s', async (point) => {
    await spec.make('below', await spec.link(1), EMAIL);
    expect(await runKilled(point, spec.server.url, checkAt(quarter(2)))).toEqual(['', 'SIGKILL']);
    await deliver();
    expect(server.mails).toEqual([]);
    await spec.runAt(quarter(1));
    await spec.runAt(quarter(1));
    await deliver();
    await deliver();
    expect(ids()).toHaveLength(1);
  });

  it('comes again under the same Message-ID from a worker that was killed before it noted the answer', async () => {
    await told();
    const job = `deliverWebhooks({ config: ${JSON.stringify(config())}, database, metrics, logger })`;
    expect(await runKilled('webhook-posted', spec.server.url, job)).toEqual(['', 'SIGKILL']);
    await deliver();
    expect(ids()).toHaveLength(1); // for a minute it could still be under way
    aheadMs = LEASE_MS;
    await deliver();
    await deliver();
    expect([ids().length, new Set(ids()).size]).toEqual([2, 1]);
  });

  it('that no server answered is not one of the hundred of a day, and one that the server refused is', async () => {
    await told();
    const mails = () => spec.server.query('SELECT mails FROM alert_mails');
    await deliver(toMailer({ ...config(), smtpUrl: 'smtp://127.0.0.1:1' }));
    expect(await mails()).toEqual([{ mails: 0 }]);
    await untilResumed();
    server.refusal = { at: 'RCPT TO', code: 554, text: '5.7.1 Relay access denied' };
    await deliver();
    expect(await state()).toMatchObject({ enabled: true, failure: expect.stringContaining('Relay access denied') });
    expect(await mails()).toEqual([{ mails: 1 }]);
  });

  it('is sent to an address a hundred times a day; the rest waits for the next one, and that is said', async () => {
    const { alert } = await spec.make('below', await spec.link(1), EMAIL);
    await spec.server.query(`INSERT INTO alert_mails SELECT now() AT TIME ZONE 'UTC', $1, 98`, [OWN]);
    for (let nth = 0; nth < 3; nth += 1) await spec.alerts.test(spec.owner(), alert.id, new Date());
    await deliver();
    expect([server.mails.length, await state()]).toMatchObject([
      2,
      { enabled: true, failure: expect.stringMatching(/^100 mails were sent to this address today/) },
    ]);
    // This is no failure: sending goes on at midnight UTC.
    const [webhook] = await spec.server.query<{ failing_since: Date | null; resumes_at: Date }>(
      'SELECT failing_since, resumes_at FROM webhooks',
    );
    expect([webhook?.failing_since, Number(webhook?.resumes_at) % DAY]).toEqual([null, 0]);
    aheadMs = DAY;
    await deliver();
    expect([ids().length, new Set(ids()).size]).toEqual([3, 3]);
  });

  it('is one of so many a day of all alerts together; the rest waits for the next day, and alert and log say so once', async () => {
    const alerts = [];
    for (const nth of [1, 2, 3, 4]) alerts.push((await spec.make('below', await spec.link(nth), EMAIL)).alert);
    for (const { id } of alerts) await spec.alerts.test(spec.owner(), id, new Date());
    // Mails of yesterday do not count.
    await spec.server.query(`INSERT INTO alert_mails
      SELECT (now() AT TIME ZONE 'UTC')::date - ago, 'x@x.test', mails FROM (VALUES (0, 4), (1, 90)) AS sent (ago, mails)`);
    mailsPerDay = 6;
    await deliver();
    expect(server.mails).toHaveLength(2);
    const waiting = (await spec.alerts.list(spec.owner())).filter(({ deliveredAt }) => deliveredAt === null);
    const limit = expect.stringMatching(/^All alerts together sent 6 mails today.*SMTP_MAILS_PER_DAY.*tomorrow/);
    expect(waiting).toMatchObject([
      { enabled: true, failure: limit },
      { enabled: true, failure: limit },
    ]);
    expect(warnings).toEqual([limit]);
    await deliver();
    expect(server.mails).toHaveLength(2);
    aheadMs = DAY;
    await deliver();
    expect([ids().length, new Set(ids()).size]).toEqual([4, 4]);
  });

  it('has a name and a tag that cannot be more than a name and a tag', async () => {
    const [tag] = await spec.server.query<{ id: number }>(
      `INSERT INTO tags (name) VALUES (E'x\\r\\n\\r\\nYou won. \\u202e') RETURNING id`,
    );
    const name = '=?utf-8?q?x?= <eve@x.test>, “ü”: Bcc:';
    const { alert } = await spec.make('below', { of: 'tag', tagId: tag!.id }, { ...EMAIL, name });
    await spec.runAt(quarter(1));
    await spec.alerts.test(spec.owner(), alert.id, new Date());
    await deliver();
    expect(server.asked).toEqual([OWN, OWN]);
    for (const { headers, text } of server.mails) {
      expect([headers.has('bcc'), headers.has('cc'), headers.get('to')]).toEqual([false, false, OWN]);
      expect(headers.get('subject')).toMatch(/^(=\?UTF-8\?Q\?[\w=-]+\?= ?)+$/);
      expect(text).toContain(`the alert “${name}”`);
    }
    const alerted = server.mails.find(({ text }) => text.includes('You won'));
    expect(alerted?.text.split('\r\n')[0]).toMatch(/^tag x You won\. had 0 visits from /);
  });
});

describe('the address', () => {
  const REFUSED = { code: 'invalid-data', details: { invalidElements: ['email'] } };
  const make = (email: string | null, owner = spec.owner()) =>
    spec.make('above', { of: 'all' }, { ...EMAIL, email }, owner);
  const keyWith = async (scopes: string[]) => {
    const { id: keyId } = await testApiKey(spec.server, { scopes: scopes as never });
    return spec.owner({ userId: null, keyId });
  };

  it('is that of the account, and no other one', async () => {
    await make(null);
    await make('A@X.test');
    await expect(make('b@x.test')).rejects.toMatchObject(REFUSED);
    expect((await spec.alerts.list(spec.owner())).map(({ email }) => email)).toEqual([OWN, OWN]);
    const { id } = await state();
    await expect(spec.alerts.edit(spec.owner(), id, { email: 'b@x.test' })).rejects.toMatchObject(REFUSED);
    expect((await state()).email).toBe(OWN);
  });

  it('may be any of an owner of everything and of an API key with admin, as long as they are that', async () => {
    await spec.server.query(`UPDATE users SET role = 'owner'`);
    await make('b@x.test');
    await make('c@x.test', await keyWith(['admin']));
    await expect(make('d@x.test', await keyWith(['statistics:read']))).rejects.toMatchObject(REFUSED);
    await expect(make(null, await keyWith(['admin']))).rejects.toMatchObject(REFUSED);
    const everybody = spec.owner({ ofEverybody: true });
    for (const { id } of await spec.alerts.list(everybody)) await spec.alerts.test(everybody, id, new Date());
    await spec.server.query(`UPDATE users SET role = 'viewer'`);
    await spec.server.query(`UPDATE api_keys SET scopes = '{statistics:read}'`);
    await deliver();
    expect([server.asked, (await state()).watched]).toEqual([[], false]);
  });

  it.each([
    ...['a@x.test\r\nBcc: b@x.test', 'a@x.test, b@x.test', 'A <a@x.test>', 'a@x', '', '-x@x.test', 'a%b@x.test'],
    `${'a'.repeat(250)}@x.test`,
  ])('%j is refused', async (email) => {
    await spec.server.query(`UPDATE users SET role = 'owner'`);
    await expect(make(email)).rejects.toMatchObject(REFUSED);
  });

  it('belongs to the channel, as a URL does to the others', async () => {
    const url = { code: 'invalid-data', details: { invalidElements: ['url'] } };
    await expect(
      spec.make('above', { of: 'all' }, { ...EMAIL, url: 'https://hook.example.com/' }),
    ).rejects.toMatchObject(url);
    await expect(spec.make('above', { of: 'all' }, { channel: 'slack', url: null })).rejects.toMatchObject(url);
    await expect(spec.make('above', { of: 'all' }, { email: OWN })).rejects.toMatchObject(REFUSED);
  });

  it('cannot be given where no mail server is set, and that says which setting is missing', async () => {
    const alerts = new AlertStore(spec.database, { allowPrivateTargets: false });
    const rule = { name: 'x', kind: 'above', windowMinutes: 60, threshold: 1, factor: null, timeZone: 'UTC' } as const;
    await expect(alerts.create(spec.owner(), { of: 'all' }, { ...rule, ...EMAIL })).rejects.toMatchObject({
      ...{ code: 'email-not-configured', message: expect.stringContaining('SMTP_FROM') },
    });
  });
});
