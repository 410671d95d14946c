import { defineCommand } from 'citty';
import { withDatabase } from './database.ts';

/** `migrate`: brings the database to this version; every start does the same. */
export const migrateCommand = defineCommand({
  meta: { name: 'migrate', description: 'bring the database to this version (every start does it too)' },
  run: () =>
    withDatabase(async () => {
      process.stdout.write('The database is at this version.\n');
    }),
});
