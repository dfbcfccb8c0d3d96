import { jobListSchema, jobSchema } from '@hopcount/contracts';
import { OperatorJobs } from '@hopcount/ledger';
import { Database } from '@hopcount/postgres';
import { testApiKey } from '@hopcount/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { TestApi } from '../api.spec-helpers.js';

const WORKER = '00000000-0000-4000-8000-000000000001';

describe('jobs of operators over REST', () => {
  let api: TestApi;
  let database: Database;
  let jobs: OperatorJobs;

  beforeAll(async () => {
    api = await TestApi.start();
    database = await Database.connect({ url: api.database.url, applicationName: 'jobs-spec' });
    jobs = new OperatorJobs(database);
  });
  afterAll(async () => {
    await database.close();
    await api.stop();
  });

  const post = async (path: string, body?: unknown) => {
    const { status, body: answer } = await api.request('POST', `/rest/v3/jobs${path}`, { body });
    return { status, answer: answer as { id: string; type: string; detail: string } };
  };
  const changed = async (path: string) => {
    const { status, answer } = await post(path);
    expect([status, path]).toEqual([200, path]);
    return jobSchema.parse(answer);
  };
  const refused = async (path: string) => (await post(path)).answer.type.split(':').at(-1);

  it('are planned, started, paused, resumed and cancelled, each of which the audit log has', async () => {
    const { status, answer } = await post('', { kind: 'rebuild', ratePerSecond: 50 });
    expect(status).toBe(200);
    const { id } = jobSchema.parse(answer);
    expect(answer).toMatchObject({ state: 'planning', plan: null, parameters: { ratePerSecond: 50 }, startedAt: null });
    expect(await refused(`/${id}/start`)).toBe('job-conflict');
    await jobs.claim('rebuild', WORKER);
    await jobs.planned(id, WORKER, { links: 400, differences: 7 });
    expect((await api.get(`jobs/${id}`)).body).toMatchObject({
      state: 'planned',
      plan: { links: 400, differences: 7 },
    });
    expect(await changed(`/${id}/start`)).toMatchObject({ state: 'running', isHeld: false });
    await jobs.claim('rebuild', WORKER);
    await jobs.tell(id, WORKER, { step: 'links', done: 100, total: 400, perSecond: 50 });
    expect((await api.get(`jobs/${id}`)).body).toMatchObject({
      ...{ state: 'running', isHeld: true, step: 'links', done: 100, total: 400, perSecond: 50, secondsLeft: 6 },
    });
    expect(await changed(`/${id}/pause`)).toMatchObject({ state: 'paused', perSecond: null });
    // The worker that had it is told so.
    expect(await jobs.checkpoint(id, WORKER, { lastLink: '9' }, { links: 9 })).toBe(false);
    expect(await refused(`/${id}/pause`)).toBe('job-conflict');
    expect(await changed(`/${id}/resume`)).toMatchObject({ state: 'running' });
    expect(await changed(`/${id}/cancel`)).toMatchObject({ state: 'cancelled', endedAt: expect.any(String) });
    expect(await refused(`/${id}/resume`)).toBe('job-conflict');
    const { body } = await api.get('audit-log?kind=job&itemsPerPage=10');
    const entries = (body as { auditLog: { data: { action: string; after: object; actor: { operation: string } }[] } })
      .auditLog.data;
    expect(entries.map(({ actor, after }) => [actor.operation, 'state' in after ? after.state : ''])).toEqual([
      ['cancelJob', 'cancelled'],
      ['resumeJob', 'running'],
      ['pauseJob', 'paused'],
      ['startJob', 'running'],
      ['planJob', 'planning'],
    ]);
    const operators = await api.database.query('SELECT command, outcome, error FROM operator_actions');
    expect(operators).toEqual([
      { command: 'rebuild', outcome: 'failed', error: expect.stringMatching(/^Cancelled by /) },
    ]);
  });

  it('are listed with the newest first, and refused to keys without admin, unknown kinds and ids', async () => {
    const { answer } = await post('', { kind: 'verify' });
    const { body } = await api.get('jobs');
    expect(jobListSchema.parse(body).jobs.data[0]).toMatchObject({ id: answer.id, kind: 'verify' });
    const { key } = await testApiKey(api.database, { scopes: ['links:write', 'visits:purge'] });
    for (const [method, path] of [
      ...[['GET', ''] as const, ['POST', ''] as const],
      ['POST', `/${answer.id}/cancel`] as const,
    ])
      expect(
        (
          await api.request(method, `/rest/v3/jobs${path}`, {
            headers: { 'x-api-key': key },
            ...(method === 'POST' && { body: { kind: 'verify' } }),
          })
        ).status,
      ).toBe(403);
    expect((await post('', { kind: 'drop everything' })).status).toBe(400);
    expect((await post('', { kind: 'verify', ratePerSecond: 5 })).status).toBe(400);
    expect([await refused('/4711/start'), await refused('/x/start')]).toEqual(['job-not-found', 'job-not-found']);
    await changed(`/${answer.id}/cancel`);
  });

  it('of which ten are planned at a time', async () => {
    const ids = [];
    for (let nth = 0; nth < 10; nth += 1) ids.push((await post('', { kind: 'seal' })).answer.id);
    expect((await post('', { kind: 'seal' })).status).toBe(409);
    for (const id of ids) await changed(`/${id}/cancel`);
    expect((await post('', { kind: 'seal' })).status).toBe(200);
  });
});
