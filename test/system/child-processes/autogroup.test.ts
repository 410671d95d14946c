import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { expect, it, onTestFinished } from 'vitest';
import { setAutogroupNiceness } from '../../../src/system/child-processes/autogroup.ts';
import { startProcessGroup } from '../../../src/system/child-processes/process-group.ts';

it.skipIf(!existsSync('/proc/self/autogroup'))(
  'the share of a process group is lowered and given back, and that of a process that has ended is no error',
  async () => {
    const { child, kill } = startProcessGroup(['cat'], {
      cwd: '/',
      env: { PATH: '/usr/bin:/bin' },
      stdio: ['pipe', 'ignore', 'inherit'],
    });
    onTestFinished(kill);
    for (const niceness of [7, 0]) {
      await setAutogroupNiceness(child.pid!, niceness);
      expect(await readFile(`/proc/${child.pid}/autogroup`, 'utf8')).toMatch(
        new RegExp(`nice ${niceness}\n$`),
      );
    }
    // Larger than any process id of Linux.
    await setAutogroupNiceness(2 ** 22 + 1, 7);
  },
);
