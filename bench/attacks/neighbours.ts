import { spawn } from 'node:child_process';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { parseJson } from '../../src/json/json-object.ts';
import type { Attack } from './attack.ts';

/** Attacks by another user of the machine. */

const PROGRAM = path.join(import.meta.dirname, 'local-user.ts');

const neighbours: Attack = {
  name: 'neighbours',
  aim: 'another user of the machine: files, processes, sockets and ports of the service (started by root only)',
  async run(attacker) {
    // Only root can become another user.
    if (process.getuid?.() !== 0) return;
    const { dataDir, site } = attacker.around;
    await attacker.repeat(1, async () => {
      const child = spawn(process.execPath, [PROGRAM, dataDir, `${site}/plain/1`], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      const lines = (await text(child.stdout)).split('\n').filter(Boolean);
      if (lines.length === 0) attacker.strange.push('the program of the other user has tried nothing');
      // The program writes what `Attempt` has.
      for (const line of lines) {
        const { success, hasHeld } = parseJson(line) as { success: string; hasHeld: boolean };
        attacker.attempt(success, hasHeld);
      }
      await attacker.rest(1_000);
    });
  },
};

export const NEIGHBOUR_ATTACKS: Attack[] = [neighbours];
