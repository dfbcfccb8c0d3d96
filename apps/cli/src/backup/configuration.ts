export interface WantedConfiguration {
  stanza: string;
  /** A folder, or `s3://bucket/path`. */
  repository: string;
  /** Of a bucket. */
  endpoint?: string | undefined;
  region?: string | undefined;
  dataFolder: string;
  socketFolder?: string | undefined;
  port: number;
  user: string;
  /** Full backups that are kept, with the WAL from the oldest on. */
  keep: number;
}

/** A bucket's keys are not in it: pgBackRest takes them from PGBACKREST_REPO1_S3_KEY and PGBACKREST_REPO1_S3_KEY_SECRET. */
export function configurationOf(wanted: WantedConfiguration): string {
  const { socketFolder } = wanted;
  return `${[
    '[global]',
    ...repositoryOf(wanted),
    `repo1-retention-full=${wanted.keep}`,
    'start-fast=y',
    `[${wanted.stanza}]`,
    `pg1-path=${wanted.dataFolder}`,
    `pg1-port=${wanted.port}`,
    ...(socketFolder === undefined ? [] : [`pg1-socket-path=${socketFolder}`]),
    `pg1-user=${wanted.user}`,
  ].join('\n')}\n`;
}

function repositoryOf({ repository, endpoint, region }: WantedConfiguration): string[] {
  const [, bucket, path = ''] = /^s3:\/\/([^/]+)(\/.*)?$/.exec(repository) ?? [];
  if (bucket === undefined) return [`repo1-path=${repository}`];
  return [
    'repo1-type=s3',
    `repo1-path=${path === '' ? '/' : path}`,
    `repo1-s3-bucket=${bucket}`,
    `repo1-s3-endpoint=${endpoint ?? 's3.amazonaws.com'}`,
    `repo1-s3-region=${region ?? 'us-east-1'}`,
    ...(endpoint === undefined ? [] : ['repo1-s3-uri-style=path']),
  ];
}

/** For postgresql.conf. */
export function serverSettings({ stanza }: Pick<WantedConfiguration, 'stanza'>, config: string): string {
  return `archive_mode = on
archive_command = 'pgbackrest --config=${config} --stanza=${stanza} archive-push %p'
archive_timeout = 60
`;
}
