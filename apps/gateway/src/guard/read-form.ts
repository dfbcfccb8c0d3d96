import type { IncomingMessage } from 'node:http';

/** A password of 128 characters, each percent-encoded in four bytes, and as much again. */
const MAX_FORM_BYTES = 4_096;
/** From the end of the headers on. */
const LONGEST_MS = 5_000;

export type Form = { fields: URLSearchParams } | { refused: 'not-a-form' | 'too-large' | 'too-slow' };

/** What a form of ours sends. Never rejects; never settles when the client leaves, for then nobody waits for it. */
export function readForm(request: IncomingMessage): Promise<Form> {
  const type = request.headers['content-type'] ?? '';
  if (!/^application\/x-www-form-urlencoded\s*(;|$)/i.test(type)) return Promise.resolve({ refused: 'not-a-form' });
  if (Number(request.headers['content-length'] ?? 0) > MAX_FORM_BYTES) return Promise.resolve({ refused: 'too-large' });
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    const timer = setTimeout(() => settle({ refused: 'too-slow' }), LONGEST_MS);
    const settle = (form: Form) => {
      clearTimeout(timer);
      request.removeAllListeners('data').pause();
      resolve(form);
    };
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > MAX_FORM_BYTES) settle({ refused: 'too-large' });
      else chunks.push(chunk);
    });
    request.on('end', () => settle({ fields: new URLSearchParams(Buffer.concat(chunks).toString('utf8')) }));
    request.on('error', () => clearTimeout(timer));
    request.on('close', () => clearTimeout(timer));
  });
}
