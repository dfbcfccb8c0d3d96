import { randomUUID } from 'node:crypto';
import { STATUS_CODES } from 'node:http';

import { PROBLEMS } from '@hopcount/contracts';
import { ANSWER_HEADERS } from '@hopcount/runtime';

const HEADERS = Object.entries(ANSWER_HEADERS)
  .map(([name, value]) => `${name}: ${value}\r\n`)
  .join('');

/**
 * The answer to what never became a request: broken HTTP, headers too large, too slow, a method that HTTP does not know.
 * @param fields lines of its head
 */
export function renderClientError(status: number, allowed: readonly string[], fields = ''): string {
  if (status === 405 && allowed.length > 0) {
    const { title, type } = PROBLEMS['method-not-allowed'];
    const detail = `This address answers ${allowed.join(', ')}.`;
    return render({ type, title, detail, status }, `allow: ${allowed.join(', ')}\r\n${fields}`);
  }
  if (status === 405) {
    const { title, type } = PROBLEMS['not-found'];
    return render({ type, title, detail: 'Nothing is served at this address.', status: 404 }, fields);
  }
  const title = STATUS_CODES[status] ?? 'Bad Request';
  return render({ type: 'about:blank', title, detail: 'The request could not be read.', status }, fields);
}

function render(problem: { type: string; title: string; detail: string; status: number }, more: string): string {
  const instance = randomUUID();
  const body = JSON.stringify({ ...problem, instance });
  return (
    `HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status]}\r\ncontent-type: application/problem+json\r\n` +
    `x-request-id: ${instance}\r\n${HEADERS}${more}` +
    `content-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`
  );
}
