import { Agent, type IncomingHttpHeaders, request } from 'node:http';

export interface Answer {
  status: number;
  headers: IncomingHttpHeaders;
  body: string;
}

export interface Call {
  method?: string;
  headers?: Record<string, string | string[]>;
  body?: string;
  agent?: Agent;
  /** Default: 15 s. */
  timeoutMs?: number;
}

const TIMEOUT_MS = 15_000;

/**
 * One request without following redirects. Resolves only when the whole answer is here; rejects when
 * the connection was lost or silent before: whether the server did its work is then unknown.
 */
export function call(url: string, options: Call = {}): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const { method = 'GET', headers = {}, agent, body, timeoutMs = TIMEOUT_MS } = options;
    const sent = request(url, { method, headers, agent, timeout: timeoutMs }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => (text += chunk));
      response.on('end', () => {
        if (!response.complete) reject(new Error('the answer was cut short'));
        else resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text });
      });
      response.on('error', reject);
    });
    sent.on('timeout', () => sent.destroy(new Error(`no answer in ${timeoutMs} ms`)));
    sent.on('error', reject);
    sent.end(body);
  });
}

export function keepAliveAgent(connections: number): Agent {
  return new Agent({ keepAlive: true, maxSockets: connections });
}
