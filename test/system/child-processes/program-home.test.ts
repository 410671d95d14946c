import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, describe, expect, it } from 'vitest';
import { createProgramHome } from '../../../src/system/child-processes/program-home.ts';

/** Directories of programs: who owns one is proven, not guessed by a number. */

const OWN_PIDS = ['unshare', '--map-root-user', '--pid', '--fork', '--kill-child', '--mount-proc'];
/** Unprivileged user namespaces are off on some machines. */
const hasNamespaces = spawnSync(OWN_PIDS[0]!, [...OWN_PIDS.slice(1), 'true']).status === 0;

const owners: ChildProcess[] = [];
const left: string[] = [];
afterEach(() => {
  for (const owner of owners.splice(0)) owner.kill('SIGKILL');
  for (const home of left.splice(0)) rmSync(home, { recursive: true, force: true });
});

const uid = process.getuid?.() ?? 0;
const newPurpose = () => `test${crypto.randomUUID().replaceAll('-', '')}`.slice(0, 12);
const entriesOf = (purpose: string) => readdirSync(tmpdir()).filter((name) => name.includes(`-${purpose}-`));

/** A process that owns a directory, perhaps where its number is that of nobody here. */
async function startOwner(purpose: string, { ownPids = false } = {}) {
  const module = new URL('../../../src/system/child-processes/program-home.ts', import.meta.url);
  const script = `
    const { createProgramHome } = await import(${JSON.stringify(module)});
    console.log((await createProgramHome(${JSON.stringify(purpose)}, ${uid})).path);
    setInterval(() => {}, 1000);`;
  const node = [process.execPath, '--input-type=module', '-e', script];
  // Its number is that of no process of this machine.
  const elsewhere = ['sh', '-c', `echo ${freePid() - 1} > /proc/sys/kernel/ns_last_pid; "$@" & wait`, 'sh'];
  const [program, ...args] = ownPids ? [...OWN_PIDS, ...elsewhere, ...node] : node;
  const owner = spawn(program!, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  owners.push(owner);
  const [home] = await once(createInterface(owner.stdout!), 'line');
  const ended = once(owner, 'exit');
  return {
    home: String(home),
    async kill() {
      owner.kill('SIGKILL');
      await ended;
    },
  };
}

/**
 * The number of a process that has just ended: the system gives it to another one only after all other
 * numbers.
 */
const freePid = (): number => spawnSync('true').pid;

describe('the directory of a program', () => {
  it('is left alone while its owner lives, and removed with the next one after its owner was killed', async () => {
    const purpose = newPurpose();
    const owner = await startOwner(purpose);
    const second = await createProgramHome(purpose, uid);
    expect(existsSync(owner.home)).toBe(true);
    await owner.kill();
    const third = await createProgramHome(purpose, uid);
    expect(existsSync(owner.home)).toBe(false);
    await Promise.all([second.remove(), third.remove()]);
    await expect.poll(() => entriesOf(purpose)).toEqual([]);
  });

  it('is left alone while its owner lives in another pid namespace', async ({ skip }) => {
    skip(!hasNamespaces, 'This machine allows no unprivileged user namespaces.');
    const purpose = newPurpose();
    const owner = await startOwner(purpose, { ownPids: true });
    const pid = Number(path.basename(owner.home).split('-')[2]);
    expect(() => process.kill(pid, 0)).toThrow('ESRCH');
    const second = await createProgramHome(purpose, uid);
    expect(existsSync(owner.home)).toBe(true);
    await owner.kill();
    await expect
      .poll(async () => {
        const next = await createProgramHome(purpose, uid);
        await next.remove();
        return existsSync(owner.home);
      })
      .toBe(false);
    await second.remove();
  });

  it('stays where nothing proves that its owner is gone', async () => {
    const purpose = newPurpose();
    const unowned = path.join(tmpdir(), `winnow-${purpose}-999999-abcdef`);
    const ofAnotherMachine = path.join(tmpdir(), `winnow-${purpose}-999999-00000000-abcdef`);
    left.push(unowned, ofAnotherMachine, `${ofAnotherMachine}.owner`);
    for (const directory of [unowned, ofAnotherMachine]) mkdirSync(directory);
    writeFileSync(`${ofAnotherMachine}.owner`, '');
    const home = await createProgramHome(purpose, uid);
    expect(existsSync(unowned)).toBe(true);
    expect(existsSync(ofAnotherMachine)).toBe(true);
    await home.remove();
  });

  it('is made where the path is too long for a socket, and removed by its owner', async () => {
    const purpose = 'x'.repeat(100);
    const home = await createProgramHome(purpose, uid);
    expect(entriesOf(purpose)).toHaveLength(1);
    await home.remove();
    expect(entriesOf(purpose)).toEqual([]);
  });
});
