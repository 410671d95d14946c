import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The clocks of the processes of a cluster. */
export interface Clocks {
  /** The variables with which a process gets a clock of its own, by the name of the process. */
  settingsOf(name: string): Record<string, string>;
  /** Sets the clock of a process ahead of that of the system, or back, by so many milliseconds. */
  shift(name: string, ms: number): void;
  close(): void;
}

/** Lets processes have clocks of their own, see `shifted-clock.ts`. */
export function createClocks(): Clocks {
  const directory = mkdtempSync(join(tmpdir(), 'winnow-clocks-'));
  const fileOf = (name: string) => join(directory, name);
  const shift = (name: string, ms: number) => writeFileSync(fileOf(name), String(ms));
  return {
    settingsOf(name) {
      shift(name, 0);
      return {
        NODE_OPTIONS: `--import=${import.meta.resolve('./shifted-clock.ts')}`,
        SHIFTED_CLOCK_FILE: fileOf(name),
      };
    },
    shift,
    close: () => rmSync(directory, { recursive: true }),
  };
}
