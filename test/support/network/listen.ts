import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { AddressInfo, Server } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { codeOf } from '../../../src/errors.ts';

/** Names the directory that has an empty file for each port of this run. */
const DIRECTORY_VARIABLE = 'WINNOW_TEST_PORTS';

/** Begins to remember the ports of this run, in all its processes. @returns what forgets them */
export function rememberPorts(): () => void {
  const directory = mkdtempSync(path.join(tmpdir(), 'winnow-ports-'));
  process.env[DIRECTORY_VARIABLE] = directory;
  return () => {
    delete process.env[DIRECTORY_VARIABLE];
    rmSync(directory, { recursive: true, force: true });
  };
}

/**
 * Lets a site or a receiver of webhooks listen on a free port that none has had before in this run. The service
 * that all test files share knows pages, robots.txt files and limits of a site by host and port, and retries
 * webhooks for hours, so a port that is used again would bring along those of another file.
 * @returns the port
 */
export async function listenOnNewPort(server: Server, host = '127.0.0.1'): Promise<number> {
  for (;;) {
    server.listen(0, host);
    await once(server, 'listening');
    // A TCP server's address is never a path.
    const { port } = server.address() as AddressInfo;
    if (isNew(port)) return port;
    const closed = once(server, 'close');
    server.close();
    await closed;
  }
}

function isNew(port: number): boolean {
  const directory = process.env[DIRECTORY_VARIABLE];
  if (directory === undefined) return true;
  try {
    writeFileSync(path.join(directory, String(port)), '', { flag: 'wx' });
    return true;
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
    return false;
  }
}
