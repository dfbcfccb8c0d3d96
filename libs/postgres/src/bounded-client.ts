import pg from 'pg';

import { preparedName } from './load-sql.js';

/** What the pool hands to each of its clients, beside pg's own settings. */
export interface BoundedClientConfig extends pg.ClientConfig {
  answerGraceMs: number;
  /** Instead of `statement_timeout`, where the session cannot be told. 0: no limit. */
  answerWithinMs?: number;
  /** Of each connection; its failure is that of the next one, too. */
  firstStatement?: string;
  /** Of each transaction. */
  transactionSettings?: Readonly<Record<string, string | number>>;
  /** Whether what it prepares is there for the next statement; pgbouncer's sessions change. */
  keepsPrepared: boolean;
}

/** Where PostgreSQL waits for a synchronous standby, as a notice names it. */
const REPLICATION_WAIT = 'SyncRepWaitForLSN';
const COPY_DONE = Buffer.from('c\0\0\0\x04');

/**
 * A connection that is given up when the server stays silent. `statement_timeout` is kept by the
 * server; when its host loses power, or a NAT forgets the flow, nobody is left to keep it, and a
 * statement in flight would settle only when the kernel gives up (15 minutes to more than 2 hours):
 * a partition stands still, a job holds its lease, a pool is used up.
 *
 * Each statement (also BEGIN, COMMIT, ROLLBACK) has `statement_timeout` plus `answerGraceMs` to be
 * answered. Then the socket is destroyed, not only the promise rejected as pg's `query_timeout` does:
 * the pool drops the connection, and a server that still works rolls back. Every statement waiting on
 * it rejects with ETIMEDOUT (`unavailable`). For exactness that is nothing new: whether a COMMIT whose
 * answer is lost took effect is unknown, as after any lost connection; who asked reads the ledger again.
 *
 * A transaction that sets `statement_timeout` itself (verify: 0) is not bounded until it ends: what
 * the server allows it cannot be known here.
 */
export class BoundedClient extends pg.Client {
  readonly #limitMs: number;
  #unanswered = 0;
  #timer: NodeJS.Timeout | undefined;
  #ownLimit = false;
  #isUnconfirmed = false;
  readonly #keepsPrepared: boolean;
  /**
   * Of each transaction, sent with the statement that begins it: a question of its own would cost each of them one more
   * round trip.
   */
  transactionSettings: Readonly<Record<string, string | number>>;
  /** Of the next transaction alone: how it is begun, as `READ ONLY`; and a setting. */
  nextTransactionModes: readonly string[] = [];
  nextTransactionSetting: { name: string; value: string } | null = null;
  /** pg's own, which its types have as read-only: whether a statement is sent while others wait for their answers. */
  declare pipeline: boolean;
  #isPipelined = false;
  #isHeld = false;
  #lastAsked: Promise<unknown> = Promise.resolve();

  constructor(config: BoundedClientConfig) {
    super(config);
    // As pg has it in the end: what DATABASE_URL says (?statement_timeout=…) goes before our own setting.
    const { connectionParameters } = this as unknown as { connectionParameters: { statement_timeout?: unknown } };
    const serverMs = Number(connectionParameters.statement_timeout || (config.answerWithinMs ?? 0));
    this.transactionSettings = config.transactionSettings ?? {};
    // Before whatever waits for the connection.
    const { firstStatement } = config;
    this.#keepsPrepared = config.keepsPrepared;
    if (firstStatement !== undefined) {
      // It fails only with its connection.
      this.once('connect', () => void super.query(firstStatement).catch(() => undefined));
    }
    this.#limitMs = serverMs > 0 ? serverMs + config.answerGraceMs : 0;
    this.on('notice', ({ routine }) => {
      if (routine === REPLICATION_WAIT) this.#isUnconfirmed = true;
    });
  }

  // pg's overloads differ only in what they return; `never` fits them all, and each caller sees pg's types.
  override query(...statement: unknown[]): never {
    const [text] = statement;
    // As TypeORM begins them.
    if (text === 'START TRANSACTION')
      statement[0] = [this.#beginningOfNext(text), ...this.#settingsOfNext()].join('; ');
    if (typeof text === 'string' && text.includes('statement_timeout')) this.#ownLimit = true;
    const name = typeof text === 'string' && this.#keepsPrepared ? preparedName(text) : undefined;
    if (name !== undefined) statement[0] = { name, text };
    if (this.pipeline) this.#writeTogether();
    let answer: unknown = super.query(...(statement as [string]));
    if (answer instanceof Promise) answer = answer.then((result: unknown) => this.#confirmed(result));
    if (this.#limitMs > 0 && answer instanceof Promise) this.#watch(answer);
    if (this.pipeline && answer instanceof Promise) this.#lastAsked = answer;
    return answer as never;
  }

  /** For one transaction, see runPipelined(). */
  set isPipelined(isPipelined: boolean) {
    this.#isPipelined = isPipelined;
    this.pipeline = isPipelined;
    // Else the connection would keep the rows of its last answer.
    this.#lastAsked = Promise.resolve();
  }

  /** What is asked in one turn goes out in one write, which takes the processor longer than a short statement. */
  #writeTogether(): void {
    if (this.#isHeld) return;
    this.#isHeld = true;
    const { stream } = this.connection;
    stream.cork();
    process.nextTick(() => {
      this.#isHeld = false;
      stream.uncork();
    });
  }

  /** A COPY has the connection to itself: once all that was asked has been answered, and until it ends. */
  async alone<T>(copy: () => Promise<T>): Promise<T> {
    if (!this.#isPipelined) return copy();
    for (let last; last !== this.#lastAsked;) {
      last = this.#lastAsked;
      await last.catch(() => undefined); // the caller of that statement has the error
    }
    this.pipeline = false;
    const copied = copy();
    this.#lastAsked = copied;
    try {
      return await copied;
    } finally {
      this.pipeline = this.#isPipelined;
    }
  }

  /** Sends rows (CopyRows) for a `COPY … FROM STDIN (FORMAT binary)`, as the last of `statements`. @returns how many the server took */
  copyRows(statements: string, rows: Uint8Array): Promise<number> {
    const answer = new Promise<number>((resolve, reject) => {
      // pg hands over a result for each statement, of a single one no list.
      const query = new pg.Query(statements, (error?: Error | null, results?: unknown) => {
        if (error) reject(error);
        else resolve([results as pg.QueryResult | pg.QueryResult[]].flat().at(-1)?.rowCount ?? 0);
      });
      super.query(Object.assign(query, { handleCopyInResponse: () => this.#sendRows(rows) }));
    });
    if (this.#limitMs > 0) this.#watch(answer);
    return answer;
  }

  #sendRows(rows: Uint8Array): void {
    const { stream } = this.connection;
    const head = Buffer.from('d\0\0\0\0');
    head.writeInt32BE(rows.length + 4, 1);
    stream.cork();
    for (const part of [head, rows, COPY_DONE]) stream.write(part);
    stream.uncork();
  }

  /**
   * With a synchronous standby a COMMIT that is cancelled while it waits for it (statement_timeout) has taken effect here alone,
   * and PostgreSQL answers as if all were well, with a warning. To whoever asked it is unknown, as when the answer is lost.
   */
  #confirmed<Result>(result: Result): Result {
    if (!this.#isUnconfirmed) return result;
    this.#isUnconfirmed = false;
    throw Object.assign(new Error('committed, but no standby has confirmed it in time'), { code: '57014' });
  }

  #beginningOfNext(text: string): string {
    const modes = this.nextTransactionModes;
    this.nextTransactionModes = [];
    return [text, modes.join(', ')].join(' ').trimEnd();
  }

  #settingsOfNext(): string[] {
    const next = this.nextTransactionSetting;
    this.nextTransactionSetting = null;
    const settings =
      next === null ? this.transactionSettings : { ...this.transactionSettings, [next.name]: next.value };
    return Object.entries(settings).map(([name, value]) => `SET LOCAL ${name} = ${pg.escapeLiteral(String(value))}`);
  }

  /** One timer a connection, set anew with each answer: what is queued behind a slow statement is not late. */
  #watch(answer: Promise<unknown>): void {
    this.#unanswered += 1;
    if (this.#unanswered === 1) this.#setTimer();
    const settled = () => {
      this.#unanswered -= 1;
      clearTimeout(this.#timer);
      this.#timer = undefined;
      if (this.#ownLimit && this.getTransactionStatus() === 'I') this.#ownLimit = false;
      if (this.#unanswered > 0) this.#setTimer();
    };
    answer.then(settled, settled);
  }

  #setTimer(): void {
    if (this.#ownLimit) return;
    const timer = setTimeout(() => {
      // After a stop (SIGSTOP, a suspended host) timers run before sockets are read: an answer that is
      // already there comes first.
      setImmediate(() => {
        if (this.#timer === timer) this.#giveUp();
      });
    }, this.#limitMs);
    this.#timer = timer.unref();
  }

  /**
   * The socket's error goes the way of any lost connection: pg rejects all statements and emits `error`,
   * on which TypeORM's runner releases the client with that error, and so the pool removes it.
   */
  #giveUp(): void {
    const error = new Error(`no answer from PostgreSQL in ${this.#limitMs} ms; connection given up`);
    this.connection.stream.destroy(Object.assign(error, { code: 'ETIMEDOUT' }));
  }
}
