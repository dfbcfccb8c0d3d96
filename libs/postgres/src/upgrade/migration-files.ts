import { readdirSync, readFileSync } from 'node:fs';

const FOLDER = new URL('../migrations/', import.meta.url);
const UP_FILE = /^(\d{4})-(.+)\.up\.sql$/;

export interface MigrationFile {
  number: number;
  /** As in schema_migrations, without the time at its end: `QuietHostsByTime`. */
  name: string;
  /** `0064-quiet-hosts-by-time` */
  file: string;
  sql: string;
}

/** Every migration's statements, oldest number first. */
export function readMigrationFiles(): MigrationFile[] {
  return readdirSync(FOLDER)
    .sort()
    .flatMap((entry) => {
      const [, number, words] = UP_FILE.exec(entry) ?? [];
      if (number === undefined || words === undefined) return [];
      const sql = readFileSync(new URL(entry, FOLDER), 'utf8');
      return [{ number: Number(number), name: toClassName(words), file: `${number}-${words}`, sql }];
    });
}

/** Of those that `Database.pendingMigrations` names. */
export function migrationFilesOf(names: string[]): MigrationFile[] {
  const wanted = new Set(names.map((name) => name.replace(/\d+$/, '')));
  return readMigrationFiles().filter(({ name }) => wanted.has(name));
}

function toClassName(words: string): string {
  return words.replace(/(?:^|-)(\w)/g, (_, letter: string) => letter.toUpperCase());
}
