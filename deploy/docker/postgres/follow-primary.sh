#!/bin/sh
# The standby: copies the primary the first time, then follows it. Run as postgres.
set -eu
export PGPASSWORD="$POSTGRES_PASSWORD"
from="host=postgres-primary user=hopcount application_name=standby"
if [ ! -s "$PGDATA/PG_VERSION" ]; then
  pg_basebackup --dbname="$from" --pgdata="$PGDATA" --checkpoint=fast --wal-method=stream --write-recovery-conf
  chmod 700 "$PGDATA"
fi
exec postgres -c max_connections=200 -c hot_standby=on -c primary_conninfo="$from password=$POSTGRES_PASSWORD"
