import { Client } from 'pg';
import type { Fault } from './fault.ts';
import type { FaultTarget } from './target.ts';

/** Runs statements as the owner of the database, who may write while it is read only. */
async function administer({ databaseUrl }: FaultTarget, statements: string[]): Promise<void> {
  const client = new Client({
    connectionString: databaseUrl,
    options: '-c default_transaction_read_only=off',
  });
  await client.connect();
  try {
    for (const statement of statements) await client.query(statement);
  } finally {
    await client.end();
  }
}

const END_OTHERS =
  'select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid() and datname is not null';

/** Takes every connection that there is, until it is told to stop. */
function takeConnections({ databaseUrl }: FaultTarget): () => Promise<void> {
  const held: Client[] = [];
  let isTaking = true;
  const take = async () => {
    while (isTaking) {
      const client = new Client({ connectionString: databaseUrl });
      client.on('error', () => undefined);
      try {
        await client.connect();
        held.push(client);
      } catch {
        // There is none left; another process may give one back.
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    }
  };
  const taking = Promise.all(Array.from({ length: 8 }, take));
  return async () => {
    isTaking = false;
    await taking;
    await Promise.all(held.map((client) => client.end()));
  };
}

/** Every change fails as it does on a full disk. */
const FULL_DISK = `
  create function refuse_changes() returns trigger language plpgsql as $$
  begin raise exception 'could not extend file: No space left on device' using errcode = 'disk_full'; end $$;
  do $$ declare name text; begin
    for name in select quote_ident(tablename) from pg_tables where schemaname = 'public' loop
      execute 'create trigger disk_is_full before insert or update or delete on ' || name || ' execute function refuse_changes()';
    end loop;
  end $$`;

let giveBack: (() => Promise<void>) | undefined;

/** Faults of Postgres itself. */
export const DATABASE_FAULTS: Fault[] = [
  {
    name: 'Postgres crashes and starts again',
    begin: ({ cluster }) => cluster.kill('postgres'),
    end: ({ cluster }) => cluster.untilUp('postgres'),
  },
  {
    name: 'Postgres has no connection left',
    async begin(target) {
      giveBack = takeConnections(target);
      await administer(target, []).catch(() => undefined);
    },
    end: () => giveBack?.(),
  },
  {
    name: 'Postgres is read only',
    begin: (target) =>
      administer(target, ['alter system set default_transaction_read_only = on', 'select pg_reload_conf()']),
    end: (target) =>
      administer(target, ['alter system reset default_transaction_read_only', 'select pg_reload_conf()']),
  },
  {
    name: 'Postgres ends all connections',
    begin: (target) => administer(target, [END_OTHERS]),
    end: () => undefined,
  },
  {
    name: 'Postgres has no room on its disk',
    begin: (target) => administer(target, [FULL_DISK]),
    end: (target) => administer(target, ['drop function refuse_changes cascade']),
  },
];
