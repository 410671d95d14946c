import { defineCommand } from 'citty';
import { withDatabase } from '../with-database.ts';

/** `migrate`: migrates the database to this version, which every start does too. */
export const migrateCommand = defineCommand({
  meta: { name: 'migrate', description: 'migrate the database to this version (every start does it too)' },
  run: () =>
    withDatabase(async () => {
      process.stdout.write('The database has been migrated to this version.\n');
    }),
});
