-- The role Hopcount connects as: it owns its database, and may nothing else. Run as a superuser in that database, after
-- set_config('hopcount.password', ...); may be run again. What an earlier version made as a superuser is handed over.
DO $$
DECLARE
  what record;
BEGIN
  IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'hopcount_app') THEN
    CREATE ROLE hopcount_app;
  END IF;
  EXECUTE format(
    'ALTER ROLE hopcount_app LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION NOBYPASSRLS PASSWORD %L',
    current_setting('hopcount.password')
  );
  EXECUTE format('ALTER DATABASE %I OWNER TO hopcount_app', current_database());
  FOR what IN
    SELECT 'TABLE' AS kind, pg_class.oid::regclass::text AS name FROM pg_class
    WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p', 'v', 'm', 'S')
      AND NOT EXISTS (
        SELECT FROM pg_depend
        WHERE objid = pg_class.oid AND classid = 'pg_class'::regclass AND deptype IN ('a', 'i', 'e') AND (relkind = 'S' OR deptype = 'e')
      )
    UNION ALL
    SELECT 'ROUTINE', pg_proc.oid::regprocedure::text FROM pg_proc
    WHERE pronamespace = 'public'::regnamespace
      AND NOT EXISTS (SELECT FROM pg_depend WHERE objid = pg_proc.oid AND classid = 'pg_proc'::regclass AND deptype = 'e')
    UNION ALL
    SELECT 'TYPE', pg_type.oid::regtype::text FROM pg_type LEFT JOIN pg_class ON pg_class.oid = typrelid
    WHERE typnamespace = 'public'::regnamespace AND typelem = 0 AND (typtype IN ('d', 'e', 'r') OR relkind = 'c')
      AND NOT EXISTS (SELECT FROM pg_depend WHERE objid = pg_type.oid AND classid = 'pg_type'::regclass AND deptype = 'e')
  LOOP
    EXECUTE format('ALTER %s %s OWNER TO hopcount_app', what.kind, what.name);
  END LOOP;
END
$$;
