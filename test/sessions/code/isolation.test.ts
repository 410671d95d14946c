import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { Language } from '../../../src/schemas/session.ts';
import { pollUntil } from '../../support/suite/poll.ts';
import { type CodeSession, startCodeSession } from './code-session.ts';
import { runs } from './installed-languages.ts';

/** What code in a session can reach, seen from inside. */

const SECRET = 'winnow-isolation-secret';

describe.skipIf(!runs.node)('code in a session', () => {
  let session: CodeSession;
  let other: CodeSession;
  let port = 0;
  let connections = 0;
  const server = createServer(() => connections++);
  const http = createHttpServer((_, response) => response.end(SECRET));
  const run = (code: string, language: Language = 'node') =>
    session.run(code, { language, timeoutMs: 150_000 });

  beforeAll(async () => {
    process.env.WINNOW_ISOLATION_SECRET = SECRET;
    [session, other] = await Promise.all([startCodeSession(), startCodeSession()]);
    await writeFile(join(other.browser.directory.downloads, 'secret'), SECRET, { mode: 0o644 });
    server.listen(0, '127.0.0.1');
    http.listen(0, '127.0.0.1');
    await Promise.all([once(server, 'listening'), once(http, 'listening')]);
    // Listening on a TCP port, the address is never a path.
    ({ port } = server.address() as AddressInfo);
  });
  afterEach(async () => {
    const left = await run('page.evaluate(() => 6 * 7)');
    expect(left.result, JSON.stringify(left)).toBe('42');
  });
  afterAll(async () => {
    delete process.env.WINNOW_ISOLATION_SECRET;
    server.close();
    http.close();
    await Promise.all([session, other].map((each) => each[Symbol.asyncDispose]()));
  });

  /** JavaScript that returns the error code of the attempt, or its result. */
  const attempt = (work: string) =>
    `await (async () => { try { return await (async () => { ${work} })() } catch (error) { return error.code ?? error.cause?.code ?? String(error) } })()`;

  describe('has no network:', () => {
    test.each([
      [
        'TCP to this machine',
        () =>
          `await require('events').once(require('net').connect(${port}, '127.0.0.1'), 'connect'); return 'reached'`,
        'ECONNREFUSED',
      ],
      [
        'TCP over IPv6',
        () =>
          `await require('events').once(require('net').connect(${port}, '::1'), 'connect'); return 'reached'`,
        'ECONNREFUSED',
      ],
      [
        'TCP to another machine',
        () =>
          `await require('events').once(require('net').connect(80, '192.0.2.1'), 'connect'); return 'reached'`,
        'ENETUNREACH',
      ],
      ['cloud metadata', () => `return (await fetch('http://169.254.169.254/')).status`, 'ENETUNREACH'],
      [
        'fetch of a port of the service',
        () => `return (await fetch('http://127.0.0.1:${port}/')).status`,
        'ECONNREFUSED',
      ],
      [
        'UDP',
        () =>
          `const socket = require('dgram').createSocket('udp4'); return await new Promise((resolve, reject) => { socket.on('error', reject); socket.send('x', 53, '192.0.2.1', (error) => error ? reject(error) : resolve('sent')) })`,
        'ENETUNREACH',
      ],
      ['DNS of the system', () => `return await require('dns/promises').lookup('example.com')`, 'EAI_AGAIN'],
      ['DNS queries', () => `return await require('dns/promises').resolve4('example.com')`, 'ECONNREFUSED'],
      [
        'listening for others',
        () =>
          `return Object.values(require('os').networkInterfaces()).flat().filter(({ internal }) => !internal).length`,
        '0',
      ],
      [
        'the Internet through a child',
        () =>
          `return require('child_process').spawnSync(process.execPath, ['-e', 'fetch("http://127.0.0.1:${port}")']).status`,
        '1',
      ],
    ])('%s', async (_, work, expected) => {
      expect(await run(attempt(work()))).toMatchObject({ exitCode: 0, result: expected });
      expect(connections).toBe(0);
    });

    test.skipIf(!runs.bash).each([
      ['/dev/tcp of bash', () => `echo x > /dev/tcp/127.0.0.1/${port}`, /refused/],
      ['/dev/udp of bash', () => 'echo x > /dev/udp/192.0.2.1/53', /unreachable/],
      ['ping', () => 'ping -c 1 -W 1 127.0.0.1 || echo failed >&2', /failed/],
      ['programs with more rights', () => 'su -c id || sudo id || mount -t tmpfs none /tmp', /\S/],
    ])('%s', async (_, code, expected) => {
      const { stderr, stdout } = await run(code(), 'bash');
      expect(stderr).toMatch(expected);
      expect(stdout).not.toContain('uid=0');
      expect(connections).toBe(0);
    });

    test.skipIf(!runs.python)('sockets of Python', async () => {
      const code = `
import socket
errors = []
for family, kind, protocol, address in [(socket.AF_INET, socket.SOCK_STREAM, 0, ("127.0.0.1", ${port})), (socket.AF_INET, socket.SOCK_RAW, 1, ("127.0.0.1", 0)), (40, socket.SOCK_STREAM, 0, (2, 22)), (17, socket.SOCK_RAW, 0, ("lo", 0))]:
    try:
        socket.socket(family, kind, protocol).connect(address)
        errors.append("reached")
    except OSError as error:
        errors.append(error.errno)
errors`;
      expect(await run(code, 'python')).toMatchObject({ result: '[111, 1, 1, 1]' });
      expect(connections).toBe(0);
    });

    test('the socket of another session', async () => {
      const path = join(other.browser.directory.protocol, 'cdp.sock');
      const work = `await require('events').once(require('net').connect(${JSON.stringify(path)}), 'connect')`;
      expect(await run(attempt(work))).toMatchObject({ result: 'ENOENT' });
    });

    test('abstract sockets of this machine', async () => {
      const name = `winnow-isolation-test-${process.pid}`;
      const abstract = createServer(() => connections++).listen(`\0${name}`);
      await once(abstract, 'listening');
      const work = `await require('events').once(require('net').connect('\\0${name}'), 'connect')`;
      expect(await run(attempt(work))).toMatchObject({ result: 'ECONNREFUSED' });
      abstract.close();
    });
  });

  describe('has nothing of this machine:', () => {
    test.each([
      ['accounts', '/etc/passwd'],
      ['passwords', '/etc/shadow'],
      ['the names of other machines', '/etc/hosts'],
      ['homes', '/root'],
      ['data', '/var'],
      ['devices', '/sys'],
      ['this repository', join(import.meta.dirname, '..', '..', '..', 'package.json')],
      ['sockets of services', '/run/docker.sock'],
      ['the browser', '/usr/lib/chromium/chromium'],
    ])('%s', async (_, path) => {
      expect(await run(attempt(`return require('fs').readFileSync(${JSON.stringify(path)})`))).toMatchObject({
        result: 'ENOENT',
      });
    });

    test('downloads and profiles of any session, except for its own downloads', async () => {
      const paths = [other.browser.directory.downloads, session.browser.directory.profile];
      for (const path of paths)
        expect(await run(attempt(`return require('fs').readdirSync(${JSON.stringify(path)})`))).toMatchObject(
          {
            result: 'ENOENT',
          },
        );
      expect(await run("require('fs').readdirSync('/downloads')")).toMatchObject({ result: '[]' });
    });

    test('the environment', async () => {
      const { result } = await run('JSON.stringify(process.env)');
      expect(result).not.toContain(SECRET);
      expect(Object.keys(JSON.parse(result)).sort()).toEqual(
        expect.arrayContaining(['HOME', 'LANG', 'NODE_PATH', 'PATH', 'TMPDIR']),
      );
      expect(Object.keys(JSON.parse(result)).filter((name) => /WINNOW|KEY|SECRET/.test(name))).toEqual([]);
    });

    test('the paths of this machine, in the program and its stack traces', async () => {
      const code = `[process.execPath, ...process.argv, require('fs').readFileSync('/proc/self/maps', 'utf8'), require.resolve('playwright')].join()`;
      const { result } = await run(code);
      expect(result).toContain('/opt/winnow/');
      expect(result).not.toContain(join(import.meta.dirname, '..', '..', '..'));
    });

    test('other processes, and the environment of any', async () => {
      const code = `[require('fs').readdirSync('/proc').filter((name) => /^\\d+$/.test(name)).length, ${attempt(`process.kill(${process.pid}, 0)`)}]`;
      const { result } = await run(code);
      expect(JSON.parse(result)[0]).toBeLessThan(10);
      expect(JSON.parse(result)[1]).toMatch(/ESRCH|EPERM/);
      const environments = `require('fs').readdirSync('/proc').filter((name) => /^\\d+$/.test(name)).map((pid) => { try { return require('fs').readFileSync('/proc/' + pid + '/environ', 'utf8') } catch { return '' } }).join()`;
      expect((await run(environments)).result).not.toContain(SECRET);
    });

    test('file descriptors of the service', async () => {
      const code = `require('fs').readdirSync('/proc/self/fd').map((fd) => { try { return require('fs').readlinkSync('/proc/self/fd/' + fd) } catch { return '' } }).filter((path) => path.startsWith('/')).join()`;
      expect((await run(code)).result).toMatch(/^(?:,?\/(?:dev\/null|proc\/\d+\/fd))*$/);
    });

    test('privileges, and any way to gain them', async () => {
      const { result } = await run("require('fs').readFileSync('/proc/self/status', 'utf8')");
      const fieldOf = (name: string) => new RegExp(`^${name}:\\s*(.*)$`, 'm').exec(result)?.[1];
      for (const set of ['CapInh', 'CapPrm', 'CapEff', 'CapBnd', 'CapAmb'])
        expect(fieldOf(set)).toMatch(/^0+$/);
      expect(fieldOf('NoNewPrivs')).toBe('1');
      expect(fieldOf('Seccomp')).toBe('2');
      expect(fieldOf('Uid')).not.toMatch(/\b0\b/);
    });

    test('namespaces of its own making', async () => {
      const code = attempt(
        `return require('child_process').spawnSync('unshare', ['-U', 'true']).stderr.toString()`,
      );
      expect((await run(code)).result).toMatch(/not permitted/);
    });
  });

  describe('is bounded, so that', () => {
    test.each([
      ['the program', '/opt/winnow/node-program.ts'],
      ['its packages', '/opt/winnow/node_modules/playwright/index.js'],
      ['system files', '/usr/bin/env'],
      ['the root', '/new'],
      ['devices', '/dev/new'],
      ['the socket', '/run/browser/new'],
    ])('%s cannot be written to', async (_, path) => {
      expect((await run(attempt(`require('fs').writeFileSync('${path}', 'x')`))).result).toMatch(
        /EROFS|EACCES/,
      );
    });

    test('temporary files have 64 MiB, and shared memory 16 MiB', async () => {
      const fill = (path: string) =>
        attempt(
          `const fd = require('fs').openSync('${path}', 'w'); for (;;) require('fs').writeSync(fd, Buffer.alloc(1e6))`,
        );
      expect(await run(fill('/tmp/full'))).toMatchObject({ result: 'ENOSPC' });
      expect(await run(fill('/dev/shm/full'))).toMatchObject({ result: 'ENOSPC' });
      await run("require('fs').rmSync('/tmp/full'); require('fs').rmSync('/dev/shm/full')");
    });

    test.each([
      [
        'without content',
        "fs.writeFileSync('/downloads/large', ''); fs.truncateSync('/downloads/large', 5e9)",
      ],
      [
        'written',
        "const fd = fs.openSync('/downloads/large', 'w'); for (;;) fs.writeSync(fd, Buffer.alloc(1e6))",
      ],
    ])('a file of more than 100 MiB is refused (%s)', async (_, make) => {
      expect(await run(attempt(`const fs = require('fs'); ${make}`))).toMatchObject({ result: 'EFBIG' });
      await run("require('fs').rmSync('/downloads/large')");
    });

    test('no space is taken without bytes that are written', async () => {
      const code =
        'fallocate -l 90M /downloads/taken; >/downloads/kept; fallocate -n -l 4G /downloads/kept; du -sm /downloads | cut -f1';
      const { stderr, stdout } = await run(code, 'bash');
      expect(stderr.match(/not supported|unsupported/g)).toHaveLength(2);
      expect(Number(stdout)).toBeLessThan(2);
    });

    test('downloads have 100 MiB: what was written last is deleted, and what was there before is kept', async () => {
      await run("require('fs').writeFileSync('/downloads/kept', 'kept')");
      const code = `const fs = require('fs'); for (let i = 0; i < 200; i++) { fs.writeFileSync('/downloads/part' + i, Buffer.alloc(1e6)); if (i % 20 === 0) await new Promise((resolve) => setTimeout(resolve, 20)) }`;
      const ended = await run(code);
      expect(ended).toMatchObject({ exitCode: 137, killed: false });
      expect(ended.error).toMatch(/^disk limit: .*deleted: "part\d+"/);
      expect(session.runner.deletedFiles.at(-1)).toMatchObject({
        reason: expect.stringContaining('100 MiB'),
      });
      const left = await run(
        "const names = require('fs').readdirSync('/downloads'); [names.includes('kept'), names.includes('part0'), names.length]",
      );
      const [hasKept, hasFirst, count] = JSON.parse(left.result);
      expect([hasKept, hasFirst]).toEqual([true, true]);
      expect(count * 1e6).toBeLessThan(110 * 1024 ** 2);
      await run(
        "for (const name of require('fs').readdirSync('/downloads')) require('fs').rmSync('/downloads/' + name)",
      );
    });

    test('files that are deleted but open count too', async () => {
      const code = `const fs = require('fs'); for (let i = 0; i < 8; i++) { const fd = fs.openSync('/downloads/hidden', 'w'); fs.rmSync('/downloads/hidden'); for (let part = 0; part < 40; part++) fs.writeSync(fd, Buffer.alloc(1e6)) } 'kept'`;
      expect(await run(code)).toMatchObject({ exitCode: 137, error: expect.stringMatching(/^disk limit/) });
    });

    test('what is written between two calls is deleted too', async () => {
      await run(
        'for i in $(seq 200); do head -c 1000000 /dev/zero >/downloads/late$i; done >/dev/null 2>&1 & sleep 0',
        'bash',
      );
      await pollUntil(() => session.runner.deletedFiles.some(({ name }) => name.startsWith('late')));
      const size = await run('du -sm /downloads | cut -f1; rm -r /downloads/late*', 'bash');
      expect(Number(size.stdout)).toBeLessThanOrEqual(101);
    });

    test('files below directories that nobody can read are deleted with the session', async () => {
      const name = 'd'.repeat(200);
      const own = await startCodeSession();
      const { path } = own.browser.directory;
      await own.run(
        `cd /downloads; for i in $(seq 30); do mkdir ${name}; cd ${name}; done; head -c 1000000 /dev/zero >hidden`,
        { language: 'bash' },
      );
      await own[Symbol.asyncDispose]();
      expect(existsSync(path)).toBe(false);
    });

    test('it cannot start hundreds of processes', async () => {
      const code = `
        const { spawn } = require('node:child_process');
        const codes = [];
        for (let i = 0; i < 400; i++) spawn('sleep', ['60'], { stdio: 'ignore' }).on('error', ({ code }) => codes.push(code));
        await new Promise((resolve) => setTimeout(resolve, 500));
        [codes.length > 100, codes[0]]`;
      expect(await run(code)).toMatchObject({ result: '[true,"EAGAIN"]' });
    });

    test('its processes are ended when they take too much memory together', async () => {
      const code = `
        const { spawn } = require('node:child_process');
        for (let i = 0; i < 8; i++) spawn(process.execPath, ['-e', 'const all = []; for (let i = 0; i < 10; i++) all.push(Buffer.alloc(10e6, 1)); setTimeout(() => all, 60000)'], { stdio: 'ignore' });
        await new Promise(() => undefined)`;
      expect(await run(code)).toMatchObject({
        exitCode: 137,
        killed: false,
        error: expect.stringMatching(/^memory/),
      });
    });

    test.skipIf(!runs.python)('it takes no memory outside of its processes', async () => {
      const code = `
import os
try:
    os.memfd_create("x")
except OSError as error:
    print(error.errno)`;
      expect(await run(code, 'python')).toMatchObject({ stdout: '1\n' });
    });
  });
});
