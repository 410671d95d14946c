import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { pino } from 'pino';
import { beforeAll, describe, expect, it } from 'vitest';
import { launchChromium } from '../../src/browser/launch.ts';
import { readConfig } from '../../src/config.ts';
import { findChromium } from '../../src/embedded/chromium.ts';

/** How Chromium begins and ends. */

const logger = pino({ level: 'silent' });
/** Nothing listens there: no page is loaded. */
const proxyUrl = 'http://127.0.0.1:9';
let executablePath: string;
beforeAll(async () => {
  executablePath = (await findChromium(readConfig())).path;
});

/** A process that has a browser, by the browser's pid. */
async function startOwner(): Promise<{ owner: ChildProcess; browser: number }> {
  const launch = new URL('../../src/browser/launch.ts', import.meta.url);
  const script = `
    const { launchChromium } = await import(${JSON.stringify(launch)});
    const options = ${JSON.stringify({ executablePath, proxyUrl })};
    const { connection } = await launchChromium({ ...options, logger: { warn() {} } });
    const { processInfo } = await connection.browser.send('SystemInfo.getProcessInfo');
    console.log(processInfo.find(({ type }) => type === 'browser').id);
    setInterval(() => {}, 1000);`;
  const owner = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = await once(owner.stdout!, 'data');
  return { owner, browser: Number(line) };
}

const isAlive = (pid: number) => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};
const homesOf = async (pid: number) =>
  (await readdir(tmpdir())).filter((name) => name.startsWith(`winnow-chromium-${pid}-`));

describe('Chromium', () => {
  it('ends with whoever started it, also after kill -9; its files go when the next one starts', async () => {
    const { owner, browser } = await startOwner();
    expect(isAlive(browser)).toBe(true);
    expect(await homesOf(owner.pid!)).toHaveLength(1);
    owner.kill('SIGKILL');
    await expect.poll(() => isAlive(browser), { timeout: 20_000 }).toBe(false);
    const next = await launchChromium({ executablePath, proxyUrl, logger });
    expect(await homesOf(owner.pid!)).toEqual([]);
    await next.close();
    expect(await homesOf(process.pid)).toEqual([]);
  });

  it('that does not start says why', async () => {
    const program = { executablePath: process.execPath, proxyUrl, logger };
    await expect(launchChromium(program)).rejects.toThrow(/does not start: .*bad option/);
    const nothing = { executablePath: '/nowhere/chromium', proxyUrl, logger };
    await expect(launchChromium(nothing)).rejects.toThrow(/nowhere\/chromium.* does not start/);
  });
});
