import { defineCommand } from 'citty';
import { generateKey } from '../../storage/db/teams/generate-key.ts';
import { addKey, FIRST_TEAM, findKey, findTeam, listKeys, revokeKey } from '../../storage/db/teams/teams.ts';
import { printTable } from '../print-table.ts';
import { withDatabase } from '../with-database.ts';

const team = {
  type: 'string',
  valueHint: 'name',
  description: 'the key’s team',
  default: FIRST_TEAM,
} as const;
const name = { type: 'positional', description: 'name of the key', required: true } as const;

const create = defineCommand({
  meta: { name: 'create', description: 'create a key and print it (it cannot be shown again)' },
  args: { name, team },
  run: ({ args }) =>
    withDatabase(async (db) => {
      const key = generateKey();
      await addKey(db, (await findTeam(db, args.team)).id, args.name, key);
      process.stdout.write(`${key}\n`);
    }),
});

const list = defineCommand({
  meta: { name: 'list', description: 'list the keys of a team by their last characters' },
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
  meta: { name: 'revoke', description: 'revoke a key immediately' },
  args: {
    name: { ...name, description: 'name of the key, or the key itself' },
    team: { ...team, description: 'team of the key, if it is specified by name' },
  },
  run: ({ args }) =>
    withDatabase(async (db) => {
      // A key identifies its team by itself.
      const known = await findKey(db, args.name);
      const key = known ?? { teamId: (await findTeam(db, args.team)).id, team: args.team, name: args.name };
      await revokeKey(db, key.teamId, key.name);
      process.stdout.write(`${key.name} of ${key.team} is revoked.\n`);
    }),
});

/** `key`: manages a team's API keys. */
export const keyCommand = defineCommand({
  meta: { name: 'key', description: 'API keys: create, list, revoke' },
  subCommands: { create, list, revoke },
});
