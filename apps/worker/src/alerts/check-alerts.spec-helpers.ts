import { BUCKET_MS, bucketOf } from '@hopcount/contracts';
import { type AlertRecord, AlertStore, type AlertSubject } from '@hopcount/links';
import { Database } from '@hopcount/postgres';
import { createLogger, Registry } from '@hopcount/runtime';
import { type TestDatabase, testDatabase } from '@hopcount/testing';

import { createWorkerMetrics } from '../worker.metrics.js';
import { checkAlerts } from './check-alerts.js';

export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;
/** A Wednesday. */
export const START = Date.parse('2026-11-18T10:00:00Z');

type Rule = Partial<
  Pick<AlertRecord, 'name' | 'windowMinutes' | 'threshold' | 'factor' | 'timeZone' | 'channel' | 'url' | 'email'>
>;

/** A database with links and users, and the job that checks their alerts, at times that a spec names. */
export class AlertsSpec {
  /** What the worker knows to be counted; undefined: it cannot tell. */
  countedUpTo: number | undefined;
  now = START;
  readonly alerts: AlertStore;

  private constructor(
    readonly server: TestDatabase,
    readonly database: Database,
    readonly userId: number,
  ) {
    // Receivers of specs have another port than the public has.
    this.alerts = new AlertStore(database, { allowPrivateTargets: true, smtpFrom: 'hopcount@example.com' });
  }

  static async open(): Promise<AlertsSpec> {
    const server = await testDatabase();
    const database = await Database.connect({ url: server.url, applicationName: 'alerts-spec' });
    await server.query(`INSERT INTO domains (authority, is_default) VALUES ('sho.rt', true)`);
    await server.query(`INSERT INTO groups (id, name) VALUES ('team', 'Team'), ('other', 'Other')`);
    const [user] = await server.query<{ id: number }>(
      `INSERT INTO users (email, name, password_hash, role) VALUES ('a@x.test', 'a', '', 'viewer') RETURNING id`,
    );
    return new AlertsSpec(server, database, user?.id ?? 0);
  }

  async close(): Promise<void> {
    await this.database.close();
    await this.server.drop();
  }

  async clear(): Promise<void> {
    await this.server.query('DELETE FROM alerts');
    await this.server.query('TRUNCATE link_traffic, scope_traffic, host_traffic, host_changes, alert_mails');
    for (const table of ['link_tags', 'links', 'tags', 'hosts']) await this.server.query(`DELETE FROM ${table}`);
    await this.server.query(`UPDATE users SET role = 'viewer', enabled = true`);
    await this.server.query('DELETE FROM group_roles');
  }

  owner(more: { userId?: number | null; keyId?: number | null; ofEverybody?: boolean } = {}) {
    return { userId: this.userId, keyId: null, ofEverybody: false, ...more };
  }

  /** Of an hour, fewer than one visit, unless told. It is as old as the links, and last checked at START. */
  async make(kind: AlertRecord['kind'], subject: AlertSubject = { of: 'all' }, rule: Rule = {}, owner = this.owner()) {
    const isCompared = kind === 'rise' || kind === 'drop';
    const made = await this.alerts.create(owner, subject, {
      ...{ name: kind, kind, windowMinutes: 60, threshold: 1, factor: isCompared ? 3 : null, timeZone: 'UTC' },
      ...{ channel: 'webhook', ...rule },
      ...(rule.channel !== 'email' && rule.url === undefined && { url: 'https://hook.example.com/' }),
    });
    const values = [made.alert.id, new Date(START), new Date(START - 30 * DAY)];
    await this.server.query('UPDATE alerts SET looked_until = $2, created_at = $3 WHERE id = $1', values);
    return made;
  }

  async link(id: number, group: string | null = null): Promise<AlertSubject> {
    await this.server.query(
      `INSERT INTO links (id, domain_id, code, long_url, group_id) SELECT $1::bigint, id, 'c' || $1, 'https://example.com/', $2 FROM domains`,
      [id, group],
    );
    return { of: 'link', linkId: String(id) };
  }

  /** Visits by people in the quarter of an hour of an instant. */
  async visits(linkId: number, at: number, visits: number, visitClass = 0): Promise<void> {
    const values = [linkId, new Date(bucketOf(at)), visitClass, visits];
    await this.server.query('INSERT INTO link_traffic VALUES ($1, $2, $3, 0, $4, 0)', values);
  }

  /** The job, once, when everything before `at` is counted and known to be. */
  async runAt(at: number): Promise<void> {
    this.now = at + 2 * MINUTE;
    this.countedUpTo = this.now;
    await this.run();
  }

  run(): Promise<void> {
    const counted = { measure: () => Promise.resolve(this.countedUpTo) } as never;
    const logger = createLogger({ name: 'test', level: 'silent' });
    const metrics = createWorkerMetrics(new Registry());
    const config = { apiPublicUrl: 'https://go.example.com' };
    const job = checkAlerts({ config, database: this.database, counted, metrics, logger }, () => this.now);
    return job.work(new AbortController().signal);
  }

  /** What was told since START, as `name@quarters after START in which its window ended`, in order. */
  async told(): Promise<string[]> {
    const bodies = await this.bodies();
    return bodies
      .map(({ data: { name, windowEnd } }) => ({ name, nth: (Date.parse(windowEnd) - START) / BUCKET_MS }))
      .sort((a, b) => a.nth - b.nth || a.name.localeCompare(b.name))
      .map(({ name, nth }) => `${name}@${nth}`);
  }

  async bodies(): Promise<Told[]> {
    const rows = await this.server.query<{ body: string }>('SELECT body FROM webhook_events');
    return rows.map(({ body }) => JSON.parse(body) as Told);
  }
}

export interface Told {
  data: { id: number; name: string; kind: string; windowEnd: string; windowStart: string; visits: number };
}
