import { readFileSync } from 'node:fs';
import { type AddressInfo, connect } from 'node:net';
import { join } from 'node:path';
import { createServer } from 'node:tls';

export interface TlsFront {
  readonly port: number;
  close(): Promise<void>;
}

/** TLS in front of a server on this machine that speaks none. @param folder with what makeCertificates() made */
export async function openTlsFront(folder: string, targetPort: number): Promise<TlsFront> {
  const [key, cert] = ['server.key', 'server.pem'].map((name) => readFileSync(join(folder, name)));
  const server = createServer({ key, cert }, (client) => {
    const target = connect(targetPort, '127.0.0.1');
    for (const [one, other] of [
      [client, target],
      [target, client],
    ] as const) {
      one.on('error', () => other.destroy());
      one.pipe(other);
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const close = () => new Promise<void>((resolve) => server.close(() => resolve()));
  return { port: (server.address() as AddressInfo).port, close };
}
