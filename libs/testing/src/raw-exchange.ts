import { connect } from 'node:net';

/**
 * All bytes that a server of this machine answers to these bytes, until it closes the connection.
 * @param sent text; a number: so many answers have begun before what follows is sent
 */
export function rawExchange(port: number, ...sent: (string | number)[]): Promise<string> {
  return new Promise((resolve) => {
    let received = '';
    const left = [...sent];
    const socket = connect(port, '127.0.0.1', () => goOn());
    const goOn = () => {
      for (let part = left[0]; part !== undefined; part = left[0]) {
        if (typeof part === 'number' && statusesIn(received).length < part) return;
        left.shift();
        if (typeof part === 'string') socket.write(part, 'latin1');
      }
    };
    socket.setEncoding('latin1').on('data', (chunk: string) => {
      received += chunk;
      goOn();
    });
    // A server that closes while more is sent resets the connection: what it said before counts.
    socket.on('error', () => undefined).on('close', () => resolve(received));
  });
}

/** Of all answers in it, in their order. */
export function statusesIn(received: string): number[] {
  return [...received.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));
}
