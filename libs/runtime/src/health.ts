import type { Logger } from './logger.js';

export type HealthStatus = 'pass' | 'warn' | 'fail';
export interface CheckResult {
  status: HealthStatus;
  detail?: string;
}
type Check = () => CheckResult | Promise<CheckResult>;

const CHECK_TIMEOUT_MS = 2_000;

/**
 * Liveness: the event loop answers and no `liveness` check fails; never asks another server (that
 * would restart every process when PostgreSQL blinks). Readiness: can this process do its job now;
 * a `warn` (Redis away) still answers 200. Why a check does not pass is in the log, once for each
 * change, and in the report of the operations port; the public is told the status alone.
 */
export class Health {
  readonly #readiness = new Map<string, Check>();
  readonly #liveness = new Map<string, Check>();
  readonly #lastStatus = new Map<string, HealthStatus>();
  #state: 'starting' | 'started' | 'draining' = 'starting';

  constructor(private readonly about: { name: string; version: string; logger: Logger }) {}

  /** A check that knows better than `fail` what silence means settles within 2 s; later it is a `fail`. */
  addReadiness(name: string, check: Check): void {
    this.#readiness.set(name, check);
  }

  addLiveness(name: string, check: Check): void {
    this.#liveness.set(name, check);
  }

  /** The process can take its work; until then `/readyz` says 503. */
  started(): void {
    if (this.#state === 'starting') this.#state = 'started';
  }

  /** From SIGTERM on `/readyz` says 503, so that no new traffic is sent here. */
  drain(): void {
    this.#state = 'draining';
  }

  get isDraining(): boolean {
    return this.#state === 'draining';
  }

  live(): Promise<HealthReport> {
    return this.#report(this.#liveness);
  }

  async ready(): Promise<HealthReport> {
    const report = await this.#report(this.#readiness);
    if (this.#state === 'started') return report;
    report.checks['process'] = { status: 'fail', detail: this.#state };
    return { ...report, status: 'fail' };
  }

  async #report(checks: Map<string, Check>): Promise<HealthReport> {
    const entries = await Promise.all([...checks].map(async ([name, check]) => [name, await runCheck(check)] as const));
    const statuses = entries.map(([, result]) => result.status);
    for (const [name, result] of entries) this.#logChange(name, result);
    const status = statuses.includes('fail') ? 'fail' : statuses.includes('warn') ? 'warn' : 'pass';
    return { status, version: this.about.version, serviceId: this.about.name, checks: Object.fromEntries(entries) };
  }

  #logChange(check: string, { status, detail }: CheckResult): void {
    const before = this.#lastStatus.get(check) ?? 'pass';
    this.#lastStatus.set(check, status);
    if (status === before) return;
    const level = status === 'pass' ? 'info' : 'warn';
    this.about.logger[level]({ check, before, status, detail }, 'a health check changed');
  }
}

/** The report without reasons: those name hosts, ports and what a driver said. */
export function withoutReasons(report: HealthReport): HealthReport {
  const checks = Object.entries(report.checks).map(([name, { status }]) => [name, { status }] as const);
  return { ...report, checks: Object.fromEntries(checks) };
}

/** Body of /livez and /readyz, `application/health+json`. 503 when `status` is `fail`, else 200. */
export interface HealthReport {
  status: HealthStatus;
  version: string;
  serviceId: string;
  checks: Record<string, CheckResult>;
}

async function runCheck(check: Check): Promise<CheckResult> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<CheckResult>((resolve) => {
    timer = setTimeout(
      () => resolve({ status: 'fail', detail: `no answer in ${CHECK_TIMEOUT_MS} ms` }),
      CHECK_TIMEOUT_MS,
    );
  });
  try {
    return await Promise.race([Promise.resolve().then(check), late]);
  } catch (error) {
    return { status: 'fail', detail: (error as Error).message };
  } finally {
    clearTimeout(timer);
  }
}
