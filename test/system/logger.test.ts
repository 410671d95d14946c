import { execFileSync, spawnSync } from 'node:child_process';
import path from 'node:path';
import { expect, test } from 'vitest';

const LOGGER = path.join(import.meta.dirname, '../../src/system/logger.ts');
const PROGRAM = `import { createLogger } from ${JSON.stringify(LOGGER)};
  createLogger('api', 'info').warn({ apiKey: 'fc-secret', job: '0197' }, 'The disk is full.');`;

test('a process logs JSON lines, which programs read', () => {
  const { stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', PROGRAM], {
    encoding: 'utf8',
  });
  expect(JSON.parse(stderr)).toMatchObject({
    level: 40,
    name: 'api',
    job: '0197',
    apiKey: '[Redacted]',
    msg: 'The disk is full.',
  });
});

test('a process on a terminal logs text, which people read', () => {
  const command = `"${process.execPath}" --input-type=module --eval "$PROGRAM"`;
  // script(1) gives the command a terminal.
  const shown = execFileSync('script', ['--quiet', '--return', '--command', command, '/dev/null'], {
    encoding: 'utf8',
    env: { ...process.env, PROGRAM, NO_COLOR: '1', SHELL: '/bin/sh' },
  });
  expect(shown).toMatch(/^\[[\d:.]+\] WARN \(api\): The disk is full\.\s/);
  expect(shown).toContain('job: "0197"');
  expect(shown).not.toContain('fc-secret');
});
