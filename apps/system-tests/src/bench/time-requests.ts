import type { StackFile } from '@hopcount/contracts';

import { call, keepAliveAgent } from '../harness/http.js';

interface Api {
  stack: { file: Pick<StackFile, 'apiUrl' | 'apiKey'> };
}

/** Milliseconds of each of so many requests to the API, one after the other on one connection. */
export async function timeRequests(
  { stack }: Api,
  count: number,
  path: string,
  look: (body: string) => void = () => undefined,
): Promise<number[]> {
  const agent = keepAliveAgent(1);
  const timesMs: number[] = [];
  for (let request = 0; request < count; request += 1) {
    const startedMs = performance.now();
    const answer = await call(`${stack.file.apiUrl}${path}`, { headers: { 'x-api-key': stack.file.apiKey }, agent });
    timesMs.push(performance.now() - startedMs);
    if (answer.status !== 200) throw new Error(`${path} answered ${answer.status}: ${answer.body}`);
    look(answer.body);
  }
  agent.destroy();
  return timesMs;
}
