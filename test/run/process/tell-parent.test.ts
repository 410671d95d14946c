import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';

/** Tells its parent something at a moment at which the parent is gone, and Node has not noticed yet. */
const PROGRAM = `
import { existsSync } from 'node:fs';
import { tellParent } from './src/run/process/tell-parent.ts';
process.send('begun', () => {
  while (!existsSync(process.env.PARENT_IS_GONE)) ;
  const isConnected = process.connected;
  tellParent({ starting: true }, () => undefined);
  setTimeout(() => console.log(isConnected ? 'alive' : 'the channel was closed too early'), 100);
});
`;

it('a process outlives a message to a parent that is gone', async () => {
  const directory = await mkdtemp(path.join(tmpdir(), 'winnow-parent-'));
  try {
    const gone = path.join(directory, 'gone');
    const child = spawn(process.execPath, ['--input-type=module', '--eval', PROGRAM], {
      env: { ...process.env, PARENT_IS_GONE: gone },
      stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    });
    const printed = text(child.stdout!);
    const ended = once(child, 'exit');
    await once(child, 'message');
    child.disconnect();
    await once(child, 'disconnect');
    await writeFile(gone, '');
    expect([await ended, await printed]).toEqual([[0, null], 'alive\n']);
  } finally {
    await rm(directory, { recursive: true });
  }
});
