import { defineCommand } from 'citty';
import { deleteProfile, listProfiles } from '../../storage/db/teams/profiles.ts';
import { FIRST_TEAM, findTeam } from '../../storage/db/teams/teams.ts';
import { printTable } from '../print-table.ts';
import { withDatabase } from '../with-database.ts';

const team = {
  type: 'string',
  valueHint: 'name',
  description: 'the profile’s team',
  default: FIRST_TEAM,
} as const;

const list = defineCommand({
  meta: { name: 'list', description: 'list the profiles of a team, without their content' },
  args: { team },
  run: ({ args }) =>
    withDatabase(async (db) => {
      const profiles = await listProfiles(db, (await findTeam(db, args.team)).id);
      printTable(
        profiles.map((profile) => ({
          name: profile.name,
          bytes: profile.bytes,
          created: profile.created_at.toISOString(),
          saved: profile.saved_at?.toISOString() ?? '',
          used: profile.used_at.toISOString(),
        })),
      );
    }),
});

const remove = defineCommand({
  meta: { name: 'delete', description: 'delete a profile and its content' },
  args: { name: { type: 'positional', description: 'name of the profile', required: true }, team },
  run: ({ args }) =>
    withDatabase(async (db) => {
      await deleteProfile(db, { teamId: (await findTeam(db, args.team)).id, name: args.name });
      process.stdout.write(`${args.name} of ${args.team} is deleted.\n`);
    }),
});

/** `profile`: manages named browser state that scrapes keep. */
export const profileCommand = defineCommand({
  meta: { name: 'profile', description: 'browser profiles: list, delete' },
  subCommands: { list, delete: remove },
});
