import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** As the process under test sees it; here it is the other address of this machine. */
export const PUBLIC = '93.184.215.14';
const OUTSIDE = '127.0.0.2';
const INSIDE = '127.0.0.1';
const PRELOAD = join(process.cwd(), 'apps/system-tests/dist/harness/internet/preload.js');

/** What the preloaded module is told. */
export interface InternetSettings {
  /** Addresses by name: of the first question of a process, of the second, …; the last ones count for ever. */
  names: Record<string, string[][]>;
  /** Where an address really is. */
  addresses: Record<string, string>;
  /** Of any address. */
  ports: Record<string, number>;
}

/**
 * Names, a public web server with http and https, and a private one, for processes that are started with {@link environment}. Ports 80 and
 * 443 of any address are ports of these servers; a private address leads to the private one.
 */
export class TestInternet {
  /** Paths that the private server was asked for. */
  readonly insideAsked: string[] = [];

  private constructor(
    readonly environment: Record<string, string>,
    private readonly servers: Server[],
    private readonly folder: string,
  ) {}

  /** @param outside answers for the public server, whose certificate is for `certified` */
  static async start(
    names: InternetSettings['names'],
    certified: string,
    outside: RequestListener,
  ): Promise<TestInternet> {
    const folder = mkdtempSync(join(tmpdir(), 'hopcount-internet-'));
    const keys = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2'];
    const files = ['-keyout', 'key.pem', '-out', 'certificate.pem'];
    const name = ['-subj', '/CN=authority', '-addext', `subjectAltName=DNS:${certified}`];
    execFileSync('openssl', ['req', '-x509', ...keys, ...files, ...name], { cwd: folder, stdio: 'pipe' });
    const read = (file: string) => readFileSync(join(folder, file), 'utf8');
    const plain = createServer(outside);
    const secure = createSecureServer({ key: read('key.pem'), cert: read('certificate.pem') }, outside);
    const servers = [plain, secure, createServer()];
    const port = await listen(plain, OUTSIDE, 0);
    const ports = { 80: port, 443: await listen(secure, OUTSIDE, 0) };
    await listen(servers[2]!, INSIDE, port);
    const privateAddresses = Object.values(names)
      .flat(2)
      .filter((address) => address !== PUBLIC);
    const addresses = { ...Object.fromEntries(privateAddresses.map((one) => [one, INSIDE])), [PUBLIC]: OUTSIDE };
    const settings: InternetSettings = { names, addresses, ports };
    const environment = {
      NODE_OPTIONS: `--import ${pathToFileURL(PRELOAD).href}`,
      NODE_EXTRA_CA_CERTS: join(folder, 'certificate.pem'),
      TEST_INTERNET: JSON.stringify(settings),
    };
    const internet = new TestInternet(environment, servers, folder);
    servers[2]!.on('request', ({ url = '' }, response) => {
      internet.insideAsked.push(url);
      response.setHeader('content-type', 'text/html').end('<title>secret</title>');
    });
    return internet;
  }

  stop(): void {
    for (const server of this.servers) {
      server.closeAllConnections();
      server.close();
    }
    rmSync(this.folder, { recursive: true, force: true });
  }
}

async function listen(server: Server, address: string, port: number): Promise<number> {
  server.listen(port, address);
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}
