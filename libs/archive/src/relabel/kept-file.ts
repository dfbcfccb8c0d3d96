import type { NewArchiveFile } from '../manifest/archive-file.js';

/** A file aside, as `relabel_files` keeps it: JSON knows no bigint. */
export type KeptFile = Omit<NewArchiveFile, 'checksum' | 'hours'> & {
  checksum: string;
  hours: { hour: number; visits: number; checksum: string }[];
};

export function toJson(file: NewArchiveFile): string {
  return JSON.stringify(file, (_, value: unknown) => (typeof value === 'bigint' ? value.toString() : value));
}

export function toFile({ checksum, hours, ...rest }: KeptFile): NewArchiveFile {
  return {
    ...rest,
    checksum: BigInt(checksum),
    hours: hours.map((hour) => ({ ...hour, checksum: BigInt(hour.checksum) })),
  };
}
