import { Database, type DatabaseOptions, type Queryable } from '@hopcount/postgres';

/**
 * A database that need not be there when the process starts: connects on first use, and tries again
 * on the next use after a failure. The gateway answers known links without it.
 */
export class ReconnectingDatabase implements Queryable {
  #database: Promise<Database> | undefined;

  constructor(private readonly options: DatabaseOptions) {}

  async query<Row = Record<string, unknown>>(text: string, values?: unknown[]): Promise<Row[]> {
    return (await this.#connected()).query<Row>(text, values);
  }

  async execute<Row = Record<string, unknown>>(text: string, values?: unknown[]) {
    return (await this.#connected()).execute<Row>(text, values);
  }

  async close(): Promise<void> {
    const database = await this.#database?.catch(() => undefined);
    await database?.close();
  }

  #connected(): Promise<Database> {
    this.#database ??= Database.connect(this.options).catch((error: unknown) => {
      this.#database = undefined;
      throw error;
    });
    return this.#database;
  }
}
