import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { findConfinement } from '../../../src/system/sandbox/confinement.ts';
import { measureTree } from '../../../src/system/sandbox/process-tree.ts';
import { CODE_PROGRAM } from './code-program.ts';
import { noBubblewrap, openCodeSandbox } from './code-sandbox.ts';

/** What a program in the sandbox can reach, seen from inside. */

/** Code that returns the error code of each attempt, or its result. */
const ATTEMPT = `
  const attempt = async (work) => { try { return await work(); } catch (error) { return error.code ?? String(error); } };
  const fs = require('node:fs');
`;

/** The process group of a process; `NaN` if it has ended meanwhile. */
async function processGroupOf(pid: string): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  // The name of the program, in parentheses, may contain spaces.
  return Number(stat.split(') ')[1]?.split(' ')[2]);
}

const isRoot = process.getuid?.() === 0;
const confinements = isRoot
  ? (['user-namespace', 'root-namespaces'] as const)
  : (['user-namespace'] as const);

describe.skipIf(noBubblewrap).each(confinements)('with bubblewrap (%s)', (confinement) => {
  const open = () => openCodeSandbox({ confinement });

  test('there is no network: neither TCP to this machine nor DNS', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    onTestFinished(() => void server.close());
    let connections = 0;
    server.on('connection', () => connections++);
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const { run } = await open();
    const codes = await run(`${ATTEMPT}
      const { once } = require('node:events');
      const connect = (host, port) => attempt(() => once(require('node:net').connect({ host, port }), 'connect'));
      return [
        await connect('127.0.0.1', ${port}),
        await connect('192.0.2.1', 80),
        await attempt(() => require('node:dns/promises').lookup('example.com')),
        await attempt(() => require('node:dns/promises').resolve4('example.com')),
        Object.values(require('node:os').networkInterfaces()).flat().filter(({ internal }) => !internal).length,
      ];`);
    expect(codes).toEqual(['ECONNREFUSED', 'ENETUNREACH', 'EAI_AGAIN', 'ECONNREFUSED', 0]);
    expect(connections).toBe(0);
  });

  test('there are no files of this machine, and no environment but its own', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'winnow-sandbox-test-'));
    onTestFinished(() => rm(directory, { recursive: true }));
    const secret = join(directory, 'secret');
    await writeFile(secret, 'secret', { mode: 0o644 });
    const { run } = await open();
    const config = join(import.meta.dirname, '../../../src/config.ts');
    const paths = ['/etc/passwd', '/root', '/home', '/var', '/sys', secret, config];
    const seen = await run(`${ATTEMPT}
      return {
        files: await Promise.all(${JSON.stringify(paths)}.map((path) => attempt(() => fs.readFileSync(path)))),
        temporary: fs.readdirSync('/tmp'),
        variables: Object.keys(process.env).sort(),
        greeting: process.env.GREETING,
      };`);
    expect(seen).toEqual({
      // A directory above this repository exists, because the program is in the repository.
      files: paths.map((path) => (import.meta.dirname.startsWith(`${path}/`) ? 'EISDIR' : 'ENOENT')),
      // The program itself, if this repository is in the temporary directory.
      temporary: import.meta.dirname.startsWith('/tmp/') ? [import.meta.dirname.split('/')[2]] : [],
      variables: ['GREETING', 'HOME', 'LANG', 'PWD', 'TMPDIR'],
      greeting: 'hello',
    });
  });

  test('nothing can be written but a little in /tmp', async () => {
    const { run } = await open();
    const codes = await run(`${ATTEMPT}
      const write = (path, bytes = 1) => attempt(() => fs.writeFileSync(path, Buffer.alloc(bytes)));
      return [
        await write(${JSON.stringify(CODE_PROGRAM.readOnlyPaths[3])}),
        await write('/usr/lib/winnow-test'),
        await write('/winnow-test'),
        await write('/dev/winnow-test'),
        await write('/tmp/small') ?? 'written',
        await write('/tmp/large', 20e6),
        await write('/dev/shm/large', 20e6),
      ];`);
    expect(codes).toEqual([
      expect.stringMatching(/EROFS|EACCES/),
      expect.stringMatching(/EROFS|EACCES/),
      expect.stringMatching(/EROFS|EACCES/),
      expect.stringMatching(/EROFS|EACCES/),
      'written',
      'ENOSPC',
      'ENOSPC',
    ]);
  });

  test('other processes are neither visible nor reachable', async () => {
    const { run } = await open();
    const seen = await run(`${ATTEMPT}
      return {
        processes: fs.readdirSync('/proc').filter((name) => /^\\d+$/.test(name)).length,
        kill: await attempt(() => process.kill(${process.pid}, 0)),
        init: await attempt(() => fs.readFileSync('/proc/1/environ', 'utf8')),
      };`);
    // bubblewrap and the program itself.
    expect(seen).toMatchObject({ processes: 2, kill: expect.stringMatching(/ESRCH|EPERM/) });
    expect(seen).toMatchObject({ init: expect.stringMatching(/^(?:E[A-Z]+|PATH=[^\0]*\0)$/) });
  });

  test('all processes are in one process group, so that a single signal ends them at any time', async () => {
    const { run, sandbox } = await open();
    await run('return 1');
    const [pid = 0] = sandbox.pids;
    const processes = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
    const groups = await Promise.all(processes.map(processGroupOf));
    expect(groups.filter((group) => group === pid)).toHaveLength(measureTree(pid).processes);
  });

  test('there are no privileges, and no way to gain any', async () => {
    const { run } = await open();
    const status = await run(`return require('node:fs').readFileSync('/proc/self/status', 'utf8')`);
    const fieldOf = (name: string) => new RegExp(`^${name}:\\s*(.*)$`, 'm').exec(String(status))?.[1];
    for (const set of ['CapInh', 'CapPrm', 'CapEff', 'CapBnd', 'CapAmb'])
      expect(fieldOf(set)).toMatch(/^0+$/);
    expect(fieldOf('NoNewPrivs')).toBe('1');
    expect(fieldOf('Uid')).not.toMatch(/\b0\b/);
    expect(fieldOf('Groups')?.split(' ')).not.toContain('0');
  });
});

describe('without bubblewrap', () => {
  // bubblewrap refuses paths that do not exist. Without it they are never looked at.
  const program = { ...CODE_PROGRAM, readOnlyPaths: [...CODE_PROGRAM.readOnlyPaths, '/nowhere'] };

  test('the program runs as an unprivileged user, and the reason is known and logged', async () => {
    expect(await findConfinement(program)).toEqual({
      confinement: 'user-only',
      reason: expect.stringMatching(noBubblewrap ? /./ : /nowhere/),
    });
    const { run, warnings } = await openCodeSandbox({ program });
    expect(warnings).toEqual([{ reason: expect.any(String) }]);
    const seen = await run(`return { user: process.getuid(), variables: Object.keys(process.env).sort() }`);
    expect(seen).toEqual({
      user: isRoot ? 61_913 : process.getuid?.(),
      variables: ['GREETING', 'HOME', 'LANG', 'PATH', 'TMPDIR'],
    });
  });

  test('a program that does not run at all is reported with the reason', async () => {
    const broken = { ...CODE_PROGRAM, command: [CODE_PROGRAM.command[0], '/nowhere.ts'] as const };
    await expect(findConfinement(broken)).rejects.toThrow(/do not start: /);
  });
});
