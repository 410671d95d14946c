import { once } from 'node:events';
import { accessSync, constants } from 'node:fs';
import { lstat, readdir } from 'node:fs/promises';
import path from 'node:path';
import { ServiceError } from '../errors.ts';
import { makeHome } from '../home.ts';
import { type MediaKind, UNSUPPORTED_URL } from '../media-kind.ts';
import { startProgram } from '../unprivileged.ts';

/** What yt-dlp is to get. */
export interface YtDlpOrder {
  kind: MediaKind;
  /** A page of the web. */
  url: string;
  /** The egress proxy that all its traffic goes through. */
  proxyUrl: string;
  skipTlsVerification: boolean;
  maxBytes: number;
  /** Ends it; its reason is thrown. */
  signal: AbortSignal;
}

/** A file of yt-dlp's, gone with its directory when it is disposed of. */
export interface YtDlpFile extends AsyncDisposable {
  path: string;
}

/** As for Chromium: no account's, and not that of Chromium, whose files it shall not reach. */
const UID = 61_912;
/** One file as the site has it, for nothing of ours puts two together. */
const FORMATS = { audio: 'bestaudio/best', video: 'best[ext=mp4]/best' };
const DENIED =
  /HTTP Error 40[13]|\b(?:private|members[- ]only|paywall|drm|sign in|log ?in|logged[- ]in|not available in your)\b/i;
const NOTHING =
  /unsupported url|no video formats|no media|requested format is not available|no video could be found/i;

/**
 * The configured program, where one is.
 * @throws ServiceError `SERVICE_UNAVAILABLE` when it is not there
 */
export function findYtDlp(program: string | undefined): string | undefined {
  if (!program) return undefined;
  try {
    accessSync(program, constants.X_OK);
    return program;
  } catch (cause) {
    const message = `WINNOW_YT_DLP is ${program}, but no program is there. Give its whole path, or leave it empty.`;
    throw new ServiceError('SERVICE_UNAVAILABLE', message, { cause });
  }
}

/**
 * Has yt-dlp get the file of a page. It runs without rights, in a directory of its own, without any settings of the
 * machine's, and is ended with all that it has started.
 * @throws ServiceError `SCRAPE_MEDIA_ACCESS_DENIED`, `SCRAPE_AUDIO_UNSUPPORTED_URL`, `SCRAPE_VIDEO_UNSUPPORTED_URL`,
 *   `SCRAPE_CONTENT_TOO_LARGE`, `SCRAPE_SITE_ERROR`
 */
export async function runYtDlp(program: string, order: YtDlpOrder): Promise<YtDlpFile> {
  const home = await makeHome('yt-dlp', UID);
  try {
    const { exitCode, lastWords } = await run(program, home.path, order);
    order.signal.throwIfAborted();
    const file = await largestIn(home.path);
    if (exitCode === 0 && file) return { path: file, [Symbol.asyncDispose]: home.remove };
    throw failureOf(order, lastWords, exitCode);
  } catch (error) {
    await home.remove();
    throw error;
  }
}

async function run(program: string, home: string, order: YtDlpOrder) {
  const { proxyUrl, signal, maxBytes } = order;
  // POSIX counts in blocks of 512 bytes; a file that grows beyond ends the program.
  const bounded = ['/bin/sh', '-c', `ulimit -f ${Math.ceil(maxBytes / 512)} && exec "$@"`, 'sh'] as const;
  signal.throwIfAborted();
  const { child, kill, lastWords } = startProgram([...bounded, program, ...argumentsOf(order)], {
    uid: UID,
    home,
    // For the programs that it starts.
    env: { LANG: 'C.UTF-8', http_proxy: proxyUrl, https_proxy: proxyUrl, all_proxy: proxyUrl, no_proxy: '' },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  signal.addEventListener('abort', kill);
  // What it started does not outlive it, nor hold its last words open.
  child.once('exit', kill);
  try {
    const [exitCode] = await once(child, 'close');
    return { exitCode: exitCode as number | null, lastWords: lastWords() };
  } finally {
    signal.removeEventListener('abort', kill);
  }
}

function argumentsOf({ kind, url, proxyUrl, skipTlsVerification, maxBytes }: YtDlpOrder): string[] {
  return [
    ...['--ignore-config', '--no-cache-dir', '--no-playlist', '--playlist-items', '1'],
    ...['--proxy', proxyUrl, '--socket-timeout', '15', '--retries', '2', '--downloader', 'native'],
    ...['--max-filesize', String(maxBytes), '--format', FORMATS[kind], '--match-filters', '!is_live'],
    ...['--quiet', '--no-warnings', '--no-progress', '--no-mtime', '--output', 'media.%(ext)s'],
    ...(skipTlsVerification ? ['--no-check-certificates'] : []),
    ...['--', url],
  ];
}

/** The file itself; whatever else lies there, links among it, is none. */
async function largestIn(home: string): Promise<string | undefined> {
  const names = (await readdir(home)).filter((name) => /^media\.[a-z0-9]{1,8}$/i.test(name));
  const files = await Promise.all(
    names.map(async (name) => ({ file: path.join(home, name), stat: await lstat(path.join(home, name)) })),
  );
  return files
    .filter(({ stat }) => stat.isFile() && stat.size > 0)
    .sort((one, other) => other.stat.size - one.stat.size)[0]?.file;
}

function failureOf(
  { kind, url, maxBytes }: YtDlpOrder,
  lastWords: string,
  exitCode: number | null,
): ServiceError {
  const said = /ERROR:\s*([^\n]*)/.exec(lastWords)?.[1] ?? lastWords.split('\n').at(-1) ?? '';
  const why = said ? ` yt-dlp says: ${said.slice(0, 500)}` : '';
  if (/file too large|EFBIG|larger than max-filesize/i.test(lastWords)) {
    const most = `${maxBytes / 1024 / 1024} MiB`;
    return new ServiceError(
      'SCRAPE_CONTENT_TOO_LARGE',
      `The ${kind} of ${url} is larger than ${most}. The operator of this service can raise WINNOW_MAX_MEDIA_MB.`,
    );
  }
  if (DENIED.test(said)) {
    return new ServiceError(
      'SCRAPE_MEDIA_ACCESS_DENIED',
      `The ${kind} of ${url} is not for everybody.${why}`,
    );
  }
  if (NOTHING.test(said) || exitCode === 0) {
    return new ServiceError(UNSUPPORTED_URL[kind], `No ${kind} was found on ${url}.${why}`);
  }
  return new ServiceError('SCRAPE_SITE_ERROR', `The ${kind} of ${url} could not be got.${why}`);
}
