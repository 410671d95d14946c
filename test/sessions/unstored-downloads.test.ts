import { EventEmitter } from 'node:events';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { CdpConnection, CdpMessage } from '../../src/fetch/browser/chromium/cdp.ts';
import { BrowserDownloads } from '../../src/sessions/downloads/browser-downloads.ts';
import type { CanceledDownload } from '../../src/sessions/downloads/downloads.ts';
import { pollUntil } from '../support/suite/poll.ts';

it('a download whose file cannot be stored is canceled for those who wait for it, and its name is free', async () => {
  const root = await mkdtemp(join(tmpdir(), 'winnow-downloads-'));
  const names = ['downloads', 'incoming', 'artifacts', 'uploads'];
  const [downloads = '', incoming = '', artifacts = '', uploads = ''] = names.map((name) => join(root, name));
  for (const each of [downloads, incoming, artifacts, uploads]) await mkdir(each);
  const browser = new EventEmitter();
  const connection = {
    closed: new Promise<void>(() => undefined),
    onEvent: (listener: (event: CdpMessage) => void) => browser.on('event', listener),
    // Downloads need no more of a connection until one is canceled.
  } as unknown as CdpConnection;
  const [canceled, logged, heard]: [CanceledDownload[], unknown[], unknown[]] = [[], [], []];
  const stored = new BrowserDownloads(connection, {
    directory: { downloads, incoming, artifacts, uploads },
    onCanceled: (download) => canceled.push(download),
    logger: { warn: (details: unknown) => void logged.push(details) },
  });
  stored.onEvent(({ params }) => heard.push(params));
  browser.emit('event', {
    method: 'Browser.downloadWillBegin',
    params: { guid: 'it', suggestedFilename: 'a.txt' },
  });
  // The file is not there, as if the disk had been full.
  browser.emit('event', { method: 'Browser.downloadProgress', params: { guid: 'it', state: 'completed' } });
  await pollUntil(() => canceled.length > 0);
  expect(heard.at(-1)).toEqual({ guid: 'it', state: 'canceled' });
  expect(canceled).toEqual([
    { name: 'a.txt', reason: expect.stringMatching(/^Its file could not be stored/) },
  ]);
  expect(logged).toEqual([{ err: expect.objectContaining({ code: 'ENOENT' }) }]);
  expect(stored.names.reserve('a.txt')).toBe('a.txt');
  await rm(root, { recursive: true });
});
