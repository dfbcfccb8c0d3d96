import { connect } from 'node:net';

export interface ServerToAsk {
  host: string;
  port: number;
  /** A request that a client may send before it logs in. */
  hello: Buffer;
}

/**
 * Those that give no sign of life within `waitMs`: they take no connection, or take one and answer nothing. What the answer
 * is does not matter, nor whether the connection is refused or ended (as by a server that expects TLS): a process that hangs does none of it.
 */
export async function silentServers<Asked extends ServerToAsk>(
  servers: readonly Asked[],
  waitMs: number,
): Promise<Asked[]> {
  const silent = await Promise.all(servers.map((server) => isSilent(server, waitMs)));
  return servers.filter((_, nth) => silent[nth]);
}

function isSilent({ host, port, hello }: ServerToAsk, waitMs: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port }, () => socket.write(hello));
    const settle = (silent: boolean) => {
      clearTimeout(timer);
      socket.destroy();
      resolve(silent);
    };
    const timer = setTimeout(() => settle(true), waitMs);
    // An error is followed by `close`.
    socket.on('error', () => undefined);
    socket.once('data', () => settle(false)).once('close', () => settle(false));
  });
}
