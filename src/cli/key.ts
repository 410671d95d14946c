import { defineCommand } from 'citty';
import { addKey, FIRST_TEAM, findTeam, listKeys, makeKey, revokeKey } from '../db/teams.ts';
import { printTable, withDatabase } from './database.ts';

const team = {
  type: 'string',
  valueHint: 'name',
  description: 'the key’s team',
  default: FIRST_TEAM,
} as const;
const name = { type: 'positional', description: 'name of the key', required: true } as const;

const create = defineCommand({
  meta: { name: 'create', description: 'make a key and print it, this once' },
  args: { name, team },
  run: ({ args }) =>
    withDatabase(async (db) => {
      const key = makeKey();
      await addKey(db, (await findTeam(db, args.team)).id, args.name, key);
      process.stdout.write(`${key}\n`);
    }),
});

const list = defineCommand({
  meta: { name: 'list', description: 'the keys of a team, by their last characters' },
  args: { team },
  run: ({ args }) =>
    withDatabase(async (db) => {
      const keys = await listKeys(db, (await findTeam(db, args.team)).id);
      printTable(
        keys.map((key) => ({
          name: key.name,
          key: key.hint,
          created: key.created_at.toISOString(),
          revoked: key.revoked_at?.toISOString() ?? '',
        })),
      );
    }),
});

const revoke = defineCommand({
  meta: { name: 'revoke', description: 'make a key invalid at once' },
  args: { name, team },
  run: ({ args }) =>
    withDatabase(async (db) => {
      await revokeKey(db, (await findTeam(db, args.team)).id, args.name);
      process.stdout.write(`${args.name} of ${args.team} is revoked.\n`);
    }),
});

/** `key`: what a team's programs identify themselves with. */
export const keyCommand = defineCommand({
  meta: { name: 'key', description: 'API keys: create, list, revoke' },
  subCommands: { create, list, revoke },
});
