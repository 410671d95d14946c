import { chmod, mkdtemp, readdir, readFile, readlink, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createContent } from '../../../src/content/html/content.ts';
import type { MediaKind } from '../../../src/content/media-kind.ts';
import { createRenderPool } from '../../../src/content/rendering/render-pool.ts';
import type { Snapshot } from '../../../src/content/snapshot.ts';
import { createMediaExtractor, type MediaExtractorDeps } from '../../../src/fetch/media/extractor.ts';
import { createEgress } from '../../../src/fetch/net/checked-egress.ts';
import { type EgressProxy, startEgressProxy } from '../../../src/fetch/net/egress-proxy.ts';
import { parseFileReference } from '../../../src/storage/blobs/file-urls.ts';
import { type Blobs, openBlobs } from '../../../src/storage/blobs/index.ts';
import { DEFAULTS, snapshotOf } from '../../content/html/page.ts';
import { look, mediaFile } from '../../support/documents/media.ts';
import { type Pages, startPages } from '../../support/sites/pages.ts';

/** Files of what pages play: real threads, files and HTTP on loopback. */

const egress = createEgress({ allowPrivate: ['127.0.0.1/32'] });
const renderer = createRenderPool({ threads: 1, maxMemoryMb: 256, maxTaskMs: 60_000 });
const remuxPool = createRenderPool({ threads: 1, warm: false, maxMemoryMb: 256, maxTaskMs: 60_000 });
const MAX_BYTES = 128 * 1024;
let directory: string;
let blobs: Blobs;
let proxy: EgressProxy;
let site: Pages;
let files: Record<'ts' | 'mute' | 'mp4' | 'webm' | 'wav' | 'mp3' | 'silent' | 'aac', Buffer>;

const send =
  (type: string, bytes: () => Buffer, status = 200) =>
  (_: unknown, response: import('node:http').ServerResponse) => {
    response.writeHead(status, { 'Content-Type': type }).end(bytes());
  };

beforeAll(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'winnow-test-media-'));
  await chmod(directory, 0o755);
  blobs = await openBlobs(path.join(directory, 'blobs'), 'results');
  proxy = await startEgressProxy(egress);
  files = {
    mp4: await mediaFile('mp4', { video: true }),
    webm: await mediaFile('webm', { video: true }),
    silent: await mediaFile('webm', { video: true, audio: false }),
    wav: await mediaFile('wav'),
    mp3: await mediaFile('mp3'),
    aac: await mediaFile('aac'),
    ts: await mediaFile('ts', { video: true }),
    mute: await mediaFile('ts', { video: true, audio: false }),
  };
  site = await startPages({
    '/v.mp4': send('video/mp4', () => files.mp4),
    '/v.webm': send('video/webm', () => files.webm),
    '/silent.webm': send('video/webm', () => files.silent),
    '/a.wav': send('audio/x-wav', () => files.wav),
    '/a.mp3': send('audio/mpeg', () => files.mp3),
    '/page.mp4': send('text/html', () => Buffer.from('<p>no file')),
    '/noise.mp4': send('video/mp4', () => Buffer.from('noise '.repeat(2_000))),
    '/cut.mp4': send('video/mp4', () => files.mp4.subarray(0, 900)),
    '/empty.mp3': send('audio/mpeg', () => Buffer.alloc(0)),
    '/denied.mp3': send('text/plain', () => Buffer.from('no'), 403),
    '/gone.mp3': send('text/plain', () => Buffer.from('no'), 404),
    '/large.mp3': send('audio/mpeg', () => Buffer.alloc(MAX_BYTES + 1)),
    '/endless.mp3': (_, response) => {
      response.writeHead(200, { 'Content-Type': 'audio/mpeg' });
      const more = () =>
        response.write(Buffer.alloc(16 * 1024), () => !response.destroyed && setImmediate(more));
      more();
    },
    '/silence.mp3': (_, response) =>
      void response.writeHead(200, { 'Content-Type': 'audio/mpeg' }).flushHeaders(),
    '/list.m3u8': send('application/vnd.apple.mpegurl', () => playlist('seg/1.aac', 'seg/2.aac')),
    '/film.m3u8': send('application/vnd.apple.mpegurl', () => playlist('seg/1.ts', 'seg/2.ts')),
    '/master.m3u8': send('application/vnd.apple.mpegurl', () =>
      Buffer.from(
        '#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=90000,CODECS="avc1.42c00a,mp4a.40.2",RESOLUTION=16x16\nfilm.m3u8\n',
      ),
    ),
    '/apart.m3u8': send('application/vnd.apple.mpegurl', () =>
      Buffer.from(
        '#EXTM3U\n#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="a",NAME="en",DEFAULT=YES,URI="list.m3u8"\n#EXT-X-STREAM-INF:BANDWIDTH=90000,CODECS="avc1.42c00a,mp4a.40.2",RESOLUTION=16x16,AUDIO="a"\nmute.m3u8\n',
      ),
    ),
    '/mute.m3u8': send('application/vnd.apple.mpegurl', () => playlist('seg/3.ts', 'seg/4.ts')),
    '/live.m3u8': send('application/vnd.apple.mpegurl', () =>
      Buffer.from(playlist('seg/1.aac').toString().replace('#EXT-X-ENDLIST', '')),
    ),
    '/heavy.m3u8': send('application/vnd.apple.mpegurl', () =>
      playlist(...Array.from({ length: 40 }, (_, n) => `seg/1.aac?${n}`)),
    ),
    '/outside.m3u8': send('application/vnd.apple.mpegurl', () => playlist('file:///etc/passwd')),
    '/nested.m3u8': send('application/vnd.apple.mpegurl', () => playlist('/outside.m3u8')),
    '/private.m3u8': send('application/vnd.apple.mpegurl', () => playlist('http://10.0.0.1/1.aac')),
    '/list.mpd': send('application/dash+xml', () =>
      Buffer.from('<?xml version="1.0"?><MPD xmlns="urn:mpeg:dash:schema:mpd:2011"/>'),
    ),
    // A comment may not be read as part of the one before it, because there are too many ways to do so.
    '/comments.mp4': send('video/mp4', () => Buffer.from('<!---->'.repeat(1_000))),
    '/seg/1.aac': send('audio/aac', () => files.aac),
    '/seg/2.aac': send('audio/aac', () => files.aac),
    '/seg/1.ts': send('video/mp2t', () => files.ts),
    '/seg/2.ts': send('video/mp2t', () => files.ts),
    '/seg/3.ts': send('video/mp2t', () => files.mute),
    '/seg/4.ts': send('video/mp2t', () => files.mute),
    '/feed': send('application/rss+xml', () =>
      Buffer.from(
        `<rss><channel><item><link>/other</link><enclosure url="/gone.mp3"/></item>
         <item><link>/dir/page</link><enclosure url="/a.mp3" type="audio/mpeg"/></item></channel></rss>`,
      ),
    ),
  });
});
afterAll(async () => {
  await Promise.all([
    renderer.close(),
    remuxPool.close(),
    proxy.close(),
    egress.close(),
    site[Symbol.asyncDispose](),
  ]);
  await rm(directory, { recursive: true, force: true });
});

const playlist = (...segments: string[]) =>
  Buffer.from(
    [
      '#EXTM3U',
      '#EXT-X-TARGETDURATION:1',
      ...segments.flatMap((each) => ['#EXTINF:0.5,', each]),
      '#EXT-X-ENDLIST',
    ].join('\n'),
  );

interface Wish {
  kinds?: MediaKind[];
  hands?: Partial<MediaExtractorDeps>;
  change?: Partial<Snapshot>;
  headers?: Record<string, string>;
  signal?: AbortSignal;
}

/** Makes what a page with this HTML plays, and gives the files and their types. */
async function make(html: string, { kinds = ['audio'], hands, change, headers, signal }: Wish = {}) {
  const url = `${site.url}/dir/page`;
  const page = snapshotOf(html, { url, sourceUrl: url, ...change });
  const { media } = createContent(page, DEFAULTS);
  const maker = createMediaExtractor({
    egress,
    proxy,
    renderer,
    remuxPool,
    blobs,
    userAgent: 'Test/1',
    maxBytes: MAX_BYTES,
    ytDlp: undefined,
    ...hands,
  });
  const request = { headers, skipTlsVerification: true, location: undefined };
  const order = {
    kinds,
    page,
    media,
    request,
    owner: 'team',
    signal: signal ?? AbortSignal.timeout(150_000),
    urgent: true,
  };
  const made = await maker.make(order);
  const found: Record<string, { mediaType: string; bytes: Buffer }> = {};
  for (const [kind, reference] of Object.entries(made)) {
    const { key, mediaType } = parseFileReference(reference)!;
    found[kind] = { mediaType, bytes: await blobs.get(key) };
  }
  return found;
}

/** Files in directories of media that this process still has open, where the system tells. */
async function openFiles(): Promise<string[]> {
  const descriptors = await readdir('/proc/self/fd').catch(() => []);
  const files = await Promise.all(
    descriptors.map((each) => readlink(`/proc/self/fd/${each}`).catch(() => '')),
  );
  return files.filter((file) => file.includes(`winnow-media-${process.pid}-`));
}

const leftovers = async (purpose: string) =>
  (await readdir(tmpdir())).filter((name) => name.startsWith(`winnow-${purpose}-${process.pid}-`));

describe('audio', () => {
  it('is copied out of a video without being encoded again', async () => {
    const { audio } = await make('<video src=/v.mp4></video>');
    expect(audio?.mediaType).toBe('audio/mp4');
    expect(await look(audio!.bytes)).toMatchObject({
      mimeType: 'audio/mp4; codecs="mp4a.40.2"',
      tracks: ['audio'],
    });
    // The packets themselves, unchanged.
    expect(audio!.bytes.includes(Buffer.alloc(150, 7))).toBe(true);
  });

  it('of a WebM file stays in a suitable container', async () => {
    const { audio } = await make('<video src=/v.webm></video>');
    expect(audio?.mediaType).toBe('audio/webm');
    expect((await look(audio!.bytes)).tracks).toEqual(['audio']);
  });

  it.each([
    ['wav', 'audio/wav'],
    ['mp3', 'audio/mpeg'],
  ] as const)('that is a file of its own is that file: %s', async (name, mediaType) => {
    const { audio } = await make(`<audio src=/a.${name}></audio>`);
    expect(audio).toEqual({ mediaType, bytes: files[name] });
  });

  it('is the file itself when the URL is that of a media file', async () => {
    const url = `${site.url}/a.mp3`;
    const change = { kind: 'text' as const, url, media: [{ url, contentType: 'audio/mpeg' }] };
    expect((await make('', { change })).audio?.bytes).toEqual(files.mp3);
  });

  it('comes from the feed of a page', async () => {
    const { audio } = await make('<link rel=alternate type=application/rss+xml href=/feed>');
    expect(audio?.bytes).toEqual(files.mp3);
  });

  it('is assembled from a playlist', async () => {
    const { audio } = await make('<video src=/list.m3u8></video>');
    expect(audio?.mediaType).toBe('audio/mp4');
    const { tracks, seconds } = await look(audio!.bytes);
    expect(tracks).toEqual(['audio']);
    expect(seconds).toBeCloseTo(2 * 25 * (1024 / 48_000), 1);
  });

  it.each(['/film.m3u8', '/master.m3u8', '/apart.m3u8'])(
    'is put together from the playlist of a film, %s',
    async (list) => {
      const { audio, video } = await make(`<video src=${list}></video>`, { kinds: ['audio', 'video'] });
      expect([audio?.mediaType, video?.mediaType]).toEqual(['audio/mp4', 'video/mp4']);
      const [sound, film] = [await look(audio!.bytes), await look(video!.bytes)];
      expect([sound.tracks, film.tracks]).toEqual([['audio'], ['video', 'audio']]);
      expect(film.mimeType).toContain('avc1.42c00a');
      expect(film.seconds).toBeCloseTo(1, 0);
    },
  );

  it('is requested with the headers of a browser, and with those of the user for their origin only', async () => {
    const other = await startPages({ '/a.mp3': send('audio/mpeg', () => files.mp3) });
    const headers = { Authorization: 'Bearer secret' };
    await make('<audio src=/a.mp3></audio>', { headers });
    await make(`<audio src=${other.url}/a.mp3></audio>`, { headers });
    expect(site.headersOf('/a.mp3')).toMatchObject({
      authorization: 'Bearer secret',
      'user-agent': 'Test/1',
      referer: `${site.url}/dir/page`,
    });
    expect(other.headersOf('/a.mp3')).toMatchObject({ referer: `${site.url}/` });
    expect(other.headersOf('/a.mp3')?.authorization).toBeUndefined();
    // The page itself was redirected there: its origin is another than the user gave the headers for.
    await make('<audio src=/a.mp3></audio>', { headers, change: { url: `${other.url}/page` } });
    expect(other.requests).toHaveLength(2);
    expect(other.headersOf('/a.mp3')?.authorization).toBeUndefined();
    await other[Symbol.asyncDispose]();
  });
});

describe('video', () => {
  it('is the file, fetched once when audio is requested too', async () => {
    const before = site.requests.length;
    const { audio, video } = await make('<video src=/v.mp4></video>', { kinds: ['audio', 'video'] });
    expect(video).toEqual({ mediaType: 'video/mp4', bytes: files.mp4 });
    expect(audio?.mediaType).toBe('audio/mp4');
    expect(site.requests.slice(before).map(({ path: each }) => each)).toEqual(['/v.mp4']);
  });

  it('is the next candidate when the first cannot be read', async () => {
    const { video } = await make(
      '<video><source src=/gone.mp4><source src=/noise.mp4><source src=/page.mp4><source src=/v.webm></video>',
      { kinds: ['video'] },
    );
    expect(video).toEqual({ mediaType: 'video/webm', bytes: files.webm });
  });
});

describe('media that cannot be extracted', () => {
  it.each([
    ['<p>no media', 'SCRAPE_AUDIO_UNSUPPORTED_URL', /No audio was found on .*WINNOW_YT_DLP/],
    ['<video src=/silent.webm></video>', 'SCRAPE_AUDIO_UNSUPPORTED_URL', /silent\.webm has no audio track/],
    ['<video src=/noise.mp4></video>', 'SCRAPE_AUDIO_UNSUPPORTED_URL', /noise\.mp4 is in no format/],
    ['<video src=/cut.mp4></video>', 'SCRAPE_AUDIO_UNSUPPORTED_URL', /cut\.mp4/],
    [
      '<audio src=/empty.mp3></audio>',
      'SCRAPE_AUDIO_UNSUPPORTED_URL',
      /empty\.mp3 is in no format that is known/,
    ],
    ['<audio src=/denied.mp3></audio>', 'SCRAPE_MEDIA_ACCESS_DENIED', /responded with 403/],
    ['<audio src=/gone.mp3></audio>', 'SCRAPE_SITE_ERROR', /responded with 404/],
    ['<video src=/page.mp4></video>', 'SCRAPE_UNSUPPORTED_FILE_ERROR', /is a web page/],
    ['<audio src=/large.mp3></audio>', 'SCRAPE_CONTENT_TOO_LARGE', /WINNOW_MAX_MEDIA_MB/],
    ['<audio src=/endless.mp3></audio>', 'SCRAPE_CONTENT_TOO_LARGE', /WINNOW_MAX_MEDIA_MB/],
    ['<video src=/list.mpd></video>', 'SCRAPE_UNSUPPORTED_FILE_ERROR', /DASH manifest/],
    ['<video src=/comments.mp4></video>', 'SCRAPE_AUDIO_UNSUPPORTED_URL', /comments\.mp4/],
    ['<video src=/live.m3u8></video>', 'SCRAPE_AUDIO_UNSUPPORTED_URL', /is live/],
    ['<video src=/heavy.m3u8></video>', 'SCRAPE_CONTENT_TOO_LARGE', /WINNOW_MAX_MEDIA_MB/],
    ['<video src=/outside.m3u8></video>', 'unsafe_domain_blocked', /file:/],
    ['<video src=/nested.m3u8></video>', 'SCRAPE_AUDIO_UNSUPPORTED_URL', /cannot be read/],
    ['<video src=/private.m3u8></video>', 'unsafe_domain_blocked', /private or reserved/],
    ['<audio src=http://10.0.0.1/a.mp3></audio>', 'unsafe_domain_blocked', /private or reserved/],
  ])('is an error that says why: %s', async (html, code, message) => {
    await expect(make(html)).rejects.toMatchObject({
      name: 'ServiceError',
      code,
      message: expect.stringMatching(message),
    });
    expect([await leftovers('media'), await openFiles()]).toEqual([[], []]);
  });

  it('is reported as video when video was requested', async () => {
    await expect(make('<audio src=/a.mp3></audio>', { kinds: ['video'] })).rejects.toMatchObject({
      code: 'SCRAPE_VIDEO_UNSUPPORTED_URL',
    });
  });

  it('is reported with the reason of an aborted request', async () => {
    const stop = new AbortController();
    const asked = make('<audio src=/silence.mp3></audio>', { signal: stop.signal });
    await expect.poll(() => site.headersOf('/silence.mp3')).toBeDefined();
    stop.abort(new Error('too late'));
    await expect(asked).rejects.toThrow('too late');
    expect(await leftovers('media')).toEqual([]);
  });
});

describe('yt-dlp', () => {
  /** A program in its place. @param does what it does, in shell */
  async function program(does: string): Promise<string> {
    const file = path.join(directory, `yt-dlp-${crypto.randomUUID()}`);
    await writeFile(file, `#!/bin/sh\n${does}\n`, { mode: 0o755 });
    return file;
  }
  /** A program that brings a file and notes how it was called beside it. */
  async function bringing(name: string, bytes: Buffer) {
    const source = path.join(directory, name);
    const notes = path.join(directory, `notes-${crypto.randomUUID()}`);
    await writeFile(source, bytes, { mode: 0o644 });
    await writeFile(notes, '', { mode: 0o666 });
    await chmod(notes, 0o666);
    const ytDlp = await program(
      `{ printf '%s\\n' "$@"; echo "user $(id -u)"; echo "proxy $https_proxy"; } > ${notes}\ncp ${source} media.${name.split('.')[1]}`,
    );
    return { ytDlp, notes: () => readFile(notes, 'utf8') };
  }
  const NO_MEDIA = '<p>a site of its own kind';

  it('downloads media that the page does not have itself, through the egress proxy and without privileges', async () => {
    const { ytDlp, notes } = await bringing('site.webm', files.webm);
    const { video } = await make(NO_MEDIA, { kinds: ['video'], hands: { ytDlp } });
    expect(video).toEqual({ mediaType: 'video/webm', bytes: files.webm });
    const lines = (await notes()).split('\n');
    // Everyone on the machine can read a command line.
    const { password } = new URL(proxy.authorizedUrl);
    expect(lines.filter((line) => line.includes(password))).toEqual([`proxy ${proxy.authorizedUrl}`]);
    expect(lines[lines.indexOf('--max-filesize') + 1]).toBe(String(MAX_BYTES));
    expect(lines).toContain('--ignore-config');
    expect(lines.slice(lines.indexOf('--'), lines.indexOf('--') + 2)).toEqual(['--', `${site.url}/dir/page`]);
    expect(lines).not.toContain('user 0');
    expect(await leftovers('yt-dlp')).toEqual([]);
  });

  it('extracts audio from whatever it downloaded', async () => {
    const { ytDlp, notes } = await bringing('site.mp4', files.mp4);
    expect((await make(NO_MEDIA, { hands: { ytDlp } })).audio?.mediaType).toBe('audio/mp4');
    expect(await notes()).toContain('bestaudio/best');
  });

  it('keeps its directory until the file is stored', async () => {
    const { ytDlp } = await bringing('late.mp3', files.mp3);
    const slow = { ...blobs, putFile: (file: string) => sleep(200).then(() => blobs.putFile(file)) };
    expect((await make(NO_MEDIA, { hands: { ytDlp, blobs: slow } })).audio?.bytes).toEqual(files.mp3);
  });

  it('is not used when the page has media', async () => {
    const { ytDlp, notes } = await bringing('unused.mp4', files.mp4);
    expect((await make('<audio src=/a.mp3></audio>', { hands: { ytDlp } })).audio?.bytes).toEqual(files.mp3);
    expect(await notes()).toBe('');
  });

  it.each([
    ["echo 'ERROR: Unsupported URL: x' >&2; exit 1", 'SCRAPE_AUDIO_UNSUPPORTED_URL', /Unsupported URL/],
    [
      "echo 'ERROR: [youtube] x: Private video. Sign in' >&2; exit 1",
      'SCRAPE_MEDIA_ACCESS_DENIED',
      /Private video/,
    ],
    ["echo 'ERROR: Unable to download: HTTP Error 500' >&2; exit 1", 'SCRAPE_SITE_ERROR', /HTTP Error 500/],
    ['exit 0', 'SCRAPE_AUDIO_UNSUPPORTED_URL', /No audio/],
    ['echo noise > media.mp3', 'SCRAPE_AUDIO_UNSUPPORTED_URL', /is in no format that is known/],
    ['ln -s /etc/passwd media.mp3', 'SCRAPE_AUDIO_UNSUPPORTED_URL', /No audio/],
    ['kill -9 $$', 'SCRAPE_SITE_ERROR', /could not be downloaded/],
    [
      `head -c ${MAX_BYTES * 2} /dev/zero > media.mp3 || { echo "ERROR: [Errno 27] File too large" >&2; exit 1; }`,
      'SCRAPE_CONTENT_TOO_LARGE',
      /WINNOW_MAX_MEDIA_MB/,
    ],
  ])('that ends with %j is an error that says why', async (does, code, message) => {
    const ytDlp = await program(does);
    await expect(make(NO_MEDIA, { hands: { ytDlp } })).rejects.toMatchObject({
      name: 'ServiceError',
      code,
      message: expect.stringMatching(message),
    });
    expect(await leftovers('yt-dlp')).toEqual([]);
  });

  it('ends with the request, together with its child processes', async () => {
    const stop = new AbortController();
    const ytDlp = await program('sleep 300 & echo $! > pid; wait');
    const asked = make(NO_MEDIA, { hands: { ytDlp }, signal: stop.signal });
    const pid = await expect
      .poll(async () => {
        const [home] = await leftovers('yt-dlp');
        return Number(await readFile(path.join(tmpdir(), home ?? '', 'pid'), 'utf8').catch(() => ''));
      })
      .toBeGreaterThan(0)
      .then(async () => {
        const [home] = await leftovers('yt-dlp');
        return Number(await readFile(path.join(tmpdir(), home!, 'pid'), 'utf8'));
      });
    stop.abort(new Error('too late'));
    await expect(asked).rejects.toThrow('too late');
    await expect.poll(() => isAlive(pid)).toBe(false);
  });
});

/** A process that has ended but was not waited for is none. */
async function isAlive(pid: number): Promise<boolean> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  return stat !== '' && !/\) Z /.test(stat);
}
