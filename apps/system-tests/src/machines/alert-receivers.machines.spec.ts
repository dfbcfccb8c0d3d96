import { type ChildProcess, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { freePorts, waitUntil } from '@hopcount/testing';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import { call } from '../harness/http.js';
import { endChild, launch, listens } from '../harness/own-services.js';

const SCRIPT = join(process.cwd(), 'deploy/observability/alertmanager/with-receivers.sh');
const PAGE = {
  labels: { alertname: 'HopcountSpoolOld', severity: 'page', app: 'gateway' },
  annotations: {
    summary: 'Visits wait on the disk of a gateway',
    description: 'The oldest visit has waited for 2m.',
    runbook_url: 'https://handbook.example/runbooks/HopcountSpoolOld.md',
  },
};

let folder: string;
let settings: string;
const children: ChildProcess[] = [];
const servers: Server[] = [];

const portOf = async (server: Server) => {
  servers.push(server.listen(0, '127.0.0.1'));
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
};

/** Keeps what is posted, by path. */
async function startReceiver() {
  const posted = new Map<string, unknown>();
  const server = createHttpServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      posted.set(request.url ?? '', JSON.parse(body));
      response.end('ok');
    });
  });
  return { posted, port: await portOf(server) };
}

/** A mail server that takes everything and keeps what it was told. */
async function startMailServer() {
  const said: string[] = [];
  const converse = (socket: Socket) => {
    let isData = false;
    let rest = '';
    socket.write('220 spec\r\n');
    socket.on('data', (chunk) => {
      const lines = (rest + chunk.toString()).split('\r\n');
      rest = lines.pop() ?? '';
      for (const line of lines) {
        said.push(line);
        if (isData && line !== '.') continue;
        isData = line === 'DATA';
        const answer = line.startsWith('EHLO')
          ? '250-spec\r\n250 AUTH PLAIN'
          : line.startsWith('AUTH')
            ? '235 in'
            : '250 ok';
        socket.write(`${isData ? '354 go on' : answer}\r\n`);
      }
    });
    socket.on('error', () => undefined);
  };
  return { said, port: await portOf(createServer(converse)) };
}

const startAlertmanager = async (env: Record<string, string>) => {
  const [port] = (await freePorts(1)) as [number];
  const storage = [`--storage.path=${join(folder, 'alerts')}`, '--cluster.listen-address='];
  await launch(
    {
      ...{ name: 'alertmanager', command: 'sh' },
      args: [SCRIPT, 'prometheus-alertmanager', ...storage, `--web.listen-address=127.0.0.1:${port}`],
      env: { ...process.env, ALERT_SETTINGS_FILE: settings, ...env },
      isReady: () => listens(port),
    },
    children,
  );
  return `http://127.0.0.1:${port}`;
};
const write = (env: Record<string, string>) =>
  spawnSync('sh', [SCRIPT, 'true'], {
    encoding: 'utf8',
    env: { ...process.env, ALERT_SETTINGS_FILE: settings, ...env },
  });

describe('receivers of alerts', () => {
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'hopcount-receivers-'));
    settings = join(folder, 'alertmanager.yml');
  });
  afterEach(async () => {
    await Promise.all(children.splice(0).map(endChild));
    for (const server of servers.splice(0)) server.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it('are Slack, e-mail and a webhook where variables name them, and each gets what is wrong and its runbook', async () => {
    const [receiver, mail] = [await startReceiver(), await startMailServer()];
    const url = await startAlertmanager({
      ALERT_SLACK_URL: `http://127.0.0.1:${receiver.port}/services/T0/B0`,
      ALERT_SLACK_CHANNEL: '#ops',
      ALERT_EMAIL_TO: 'ops@example.com',
      ALERT_EMAIL_FROM: 'hopcount@example.com',
      ALERT_EMAIL_SMARTHOST: `127.0.0.1:${mail.port}`,
      ALERT_EMAIL_USERNAME: 'hopcount',
      ALERT_EMAIL_PASSWORD: "it's: a 'secret'",
      ALERT_EMAIL_TLS: 'false',
      ALERT_WEBHOOK_URL: `http://127.0.0.1:${receiver.port}/hook`,
    });
    const { status } = await call(`${url}/api/v2/alerts`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify([PAGE]),
    });
    expect(status).toBe(200);
    await waitUntil(() => receiver.posted.size === 2 && mail.said.includes('.'), {
      ...{ describe: 'all three to be told', timeoutMs: 60_000 },
    });
    expect(receiver.posted.get('/services/T0/B0')).toMatchObject({
      channel: '#ops',
      attachments: [
        {
          title: '[FIRING] HopcountSpoolOld',
          text: `${PAGE.annotations.summary}. ${PAGE.annotations.description} ${PAGE.annotations.runbook_url}\n`,
        },
      ],
    });
    expect(receiver.posted.get('/hook')).toMatchObject({ receiver: 'pages', status: 'firing', alerts: [PAGE] });
    const login = Buffer.from("\0hopcount\0it's: a 'secret'").toString('base64');
    expect(mail.said).toEqual(
      expect.arrayContaining([
        `AUTH PLAIN ${login}`,
        expect.stringMatching(/^MAIL FROM:<hopcount@example.com>/),
        'RCPT TO:<ops@example.com>',
        expect.stringMatching(/^Subject: .*HopcountSpoolOld/),
      ]),
    );
  }, 90_000);

  it('are none without variables, and the file is one that Alertmanager takes', () => {
    expect(write({}).status).toBe(0);
    expect(readFileSync(settings, 'utf8')).toMatch(/receivers:\n  - name: pages\n  - name: warnings\n$/);
    expect(spawnSync('amtool', ['check-config', settings]).status).toBe(0);
  });

  it('need a sender and a mail server for e-mail', () => {
    const { status, stderr } = write({ ALERT_EMAIL_TO: 'ops@example.com', ALERT_EMAIL_FROM: 'h@example.com' });
    expect([status, stderr]).toEqual([2, expect.stringContaining('ALERT_EMAIL_SMARTHOST')]);
  });
});
