import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { readConfig } from '../../src/config.ts';
import { findChromium } from '../../src/run/embedded/chromium.ts';
import { serveSessions } from '../../src/sessions/host-server.ts';
import { findSessionConfinement } from '../../src/sessions/session-host.ts';
import { createLogger } from '../../src/system/logger.ts';
import { openTestSessionHost } from '../support/sessions/session-host.ts';

/**
 * A host of sessions that cannot be opened: where its port is taken, bubblewrap fails as in a container with
 * Docker's default profiles, or user namespaces are off.
 */

const SOURCE = path.join(import.meta.dirname, '..', '..', 'src');
const REASON = 'bwrap: No permissions to create new namespace';

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'winnow-bwrap-'));
  await writeFile(path.join(directory, 'bwrap'), `#!/bin/sh\necho "${REASON}" >&2\nexit 1\n`);
  await chmod(path.join(directory, 'bwrap'), 0o755);
  await chmod(directory, 0o755);
});
afterAll(() => rm(directory, { recursive: true, force: true }));

/** Runs a program for which bubblewrap is another program. Mounts need the rights of root. */
const runWithoutBubblewrap = (args: string[]) =>
  spawnSync(
    'unshare',
    [
      ...['--mount', 'sh', '-c', 'mount --bind "$0/bwrap" "$(command -v bwrap)" && exec "$@"'],
      ...[directory, ...args],
    ],
    { encoding: 'utf8' },
  );

/** Opens a host in a process of its own. @param run runs a program */
async function openElsewhere(run: (args: string[]) => { stdout: string; stderr: string }) {
  const { path: executablePath } = await findChromium(readConfig());
  const { stdout, stderr } = run([
    ...['--input-type=module', '--eval'],
    `import { hostSessions } from '${SOURCE}/run/process/host-sessions.ts';
     const warnings = [];
     const host = await hostSessions({
       workerId: 'one', executablePath: '${executablePath}', proxy: {}, userAgent: '', cacheDir: '${directory}', secretKey: 'k',
       sessionAddress: { address: '127.0.0.1', port: 0 },
       logger: { warn: (text) => warnings.push(text) },
     });
     console.log(JSON.stringify({ isOpen: host !== undefined, warnings }));
     process.exit();`,
  ]);
  return JSON.parse(stdout || JSON.stringify(stderr));
}

/**
 * A shell script that runs a program as root of a user namespace in which no further one can be created, but
 * all other namespaces can.
 */
const WITHOUT_USER_NAMESPACES = `
unshare --user sh -c '
  until [ "$(id -u)" = 0 ]; do sleep 0.01; done
  exec sh -c "echo 0 > /proc/sys/user/max_user_namespaces && exec \\"\\$@\\"" sh "$@"' sh "$@" &
until { echo "0 0 100000" > /proc/$!/uid_map; } 2>/dev/null; do kill -0 $! || exit 1; sleep 0.01; done
echo "0 0 100000" > /proc/$!/gid_map
wait $!`;

const runWithoutUserNamespaces = (args: string[]) =>
  spawnSync('sh', ['-c', WITHOUT_USER_NAMESPACES, 'sh', ...args], { encoding: 'utf8' });

it('a host of sessions whose port is taken says which setting is wrong', async ({ skip }) => {
  const taken = createServer().listen(0, '127.0.0.1');
  await once(taken, 'listening');
  try {
    // Listening on a TCP port, the address is never a path.
    const { port } = taken.address() as AddressInfo;
    const { path: executablePath } = await findChromium(readConfig());
    await findSessionConfinement(executablePath).catch(() => skip('Sessions cannot run on this machine.'));
    await using opened = await openTestSessionHost({ executablePath });
    const opening = serveSessions(opened.host, {
      address: '127.0.0.1',
      port,
      secretKey: 'k',
      open: async () => undefined,
      runPrompt: () => Promise.reject(new Error('no session has a prompt')),
      logger: createLogger('test', 'error'),
    });
    await expect(opening).rejects.toThrow(/WINNOW_SESSION_ADDRESS sets: .*EADDRINUSE/);
  } finally {
    taken.close();
  }
});

it('no host of sessions is opened where bubblewrap fails, and the worker goes on and logs what to install', async ({
  skip,
}) => {
  skip(
    runWithoutBubblewrap([process.execPath, '--version']).status !== 0,
    'This machine lets this user mount nothing, or has no bubblewrap.',
  );
  expect(await openElsewhere((args) => runWithoutBubblewrap([process.execPath, ...args]))).toEqual({
    isOpen: false,
    warnings: [expect.stringMatching(new RegExp(`${REASON}.*Install the package bubblewrap`))],
  });
});

it('no host of sessions is opened where root can start bubblewrap, but Chromium cannot create the user namespace of its own sandbox', async ({
  skip,
}) => {
  const bubblewrap = ['bwrap', '--unshare-pid', '--unshare-net', '--ro-bind', '/', '/', '--proc', '/proc'];
  skip(
    runWithoutUserNamespaces([...bubblewrap, 'true']).status !== 0,
    'This machine does not let this user create namespaces, or has no bubblewrap.',
  );
  expect(runWithoutUserNamespaces(['unshare', '--user', 'true']).status).not.toBe(0);
  expect(await openElsewhere((args) => runWithoutUserNamespaces([process.execPath, ...args]))).toEqual({
    isOpen: false,
    warnings: [expect.stringMatching(/unshare: .*allow unprivileged user namespaces/)],
  });
});
