#!/bin/sh
# Run once by the image, when the primary's folder is made: a standby may copy it and follow, and commits wait for it. Not as
# an option of the server: that the image starts with it to make the database, long before a standby could answer.
set -eu
printf 'host replication all samenet scram-sha-256\n' >>"$PGDATA/pg_hba.conf"
psql --username "$POSTGRES_USER" --dbname postgres --command "ALTER SYSTEM SET synchronous_standby_names = 'standby'"
