import { backupSteps } from './activities.ts';

/** Writes the backup of a day, when its schedule is due. @returns what it did, which the Temporal UI shows */
export async function backup(): Promise<string> {
  return backupSteps.writeDailyBackup();
}
