import { once } from 'node:events';
import { accessSync, constants } from 'node:fs';
import { lstat, readdir } from 'node:fs/promises';
import path from 'node:path';
import { type MediaKind, NO_MEDIA_ERROR } from '../../content/media-kind.ts';
import { ServiceError } from '../../errors.ts';
import { createProgramHome } from '../../system/child-processes/program-home.ts';
import { startUnprivileged } from '../../system/child-processes/unprivileged-process.ts';

/** The download that yt-dlp performs, and its limits. */
export interface YtDlpOptions {
  kind: MediaKind;
  /** The page with the media. */
  url: string;
  /** URL of the egress proxy for all its traffic. */
  proxyUrl: string;
  skipTlsVerification: boolean;
  maxBytes: number;
  /** Aborts it; its reason is thrown. */
  signal: AbortSignal;
}

/** A downloaded file. Disposing of it removes its directory. */
export interface YtDlpFile extends AsyncDisposable {
  path: string;
}

/** User id without an account, and another one than Chromium's, whose files yt-dlp must not reach. */
const UID = 61_912;
/** Formats in a single file, because Winnow does not merge separate audio and video streams. */
const FORMATS = { audio: 'bestaudio/best', video: 'best[ext=mp4]/best' };
const DENIED_MESSAGE =
  /HTTP Error 40[13]|\b(?:private|members[- ]only|paywall|drm|sign in|log ?in|logged[- ]in|not available in your)\b/i;
const NOT_FOUND_MESSAGE =
  /unsupported url|no video formats|no media|requested format is not available|no video could be found/i;

/**
 * Checks the configured yt-dlp.
 * @returns its path; `undefined` where none is configured
 * @throws ServiceError `SERVICE_UNAVAILABLE` when there is no executable file
 */
export function findYtDlp(program: string | undefined): string | undefined {
  if (!program) return undefined;
  try {
    accessSync(program, constants.X_OK);
    return program;
  } catch (cause) {
    const message = `WINNOW_YT_DLP is ${program}, which is not an executable file. Set its absolute path, or leave the setting empty.`;
    throw new ServiceError('SERVICE_UNAVAILABLE', message, { cause });
  }
}

/**
 * Downloads the media file of a page with yt-dlp. The program runs unprivileged in a directory of its own,
 * ignores configuration files of the machine, and is killed together with its child processes.
 * @throws ServiceError `SCRAPE_MEDIA_ACCESS_DENIED`, `SCRAPE_AUDIO_UNSUPPORTED_URL`,
 * `SCRAPE_VIDEO_UNSUPPORTED_URL`,
 *   `SCRAPE_CONTENT_TOO_LARGE`, `SCRAPE_SITE_ERROR`
 */
export async function runYtDlp(program: string, options: YtDlpOptions): Promise<YtDlpFile> {
  const home = await createProgramHome('yt-dlp', UID);
  try {
    const { exitCode, stderrTail } = await run(program, home.path, options);
    options.signal.throwIfAborted();
    const file = await findLargestFile(home.path);
    if (exitCode === 0 && file) return { path: file, [Symbol.asyncDispose]: home.remove };
    throw toError(options, stderrTail, exitCode);
  } catch (error) {
    await home.remove();
    throw error;
  }
}

async function run(program: string, home: string, options: YtDlpOptions) {
  const { proxyUrl, signal, maxBytes } = options;
  // `ulimit -f` counts blocks of 512 bytes (POSIX); a larger file ends the program.
  const bounded = ['/bin/sh', '-c', `ulimit -f ${Math.ceil(maxBytes / 512)} && exec "$@"`, 'sh'] as const;
  signal.throwIfAborted();
  const { child, kill, stderrTail } = startUnprivileged([...bounded, program, ...createArguments(options)], {
    uid: UID,
    home,
    // Everyone can read a command line, so yt-dlp and what it starts get the proxy with its credentials here.
    env: { LANG: 'C.UTF-8', http_proxy: proxyUrl, https_proxy: proxyUrl, all_proxy: proxyUrl, no_proxy: '' },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  signal.addEventListener('abort', kill);
  try {
    const [exitCode] = await once(child, 'close');
    return { exitCode: exitCode as number | null, stderrTail: stderrTail() };
  } finally {
    signal.removeEventListener('abort', kill);
  }
}

function createArguments({ kind, url, skipTlsVerification, maxBytes }: YtDlpOptions): string[] {
  return [
    ...['--ignore-config', '--no-cache-dir', '--no-playlist', '--playlist-items', '1'],
    ...['--socket-timeout', '15', '--retries', '2', '--downloader', 'native'],
    ...['--max-filesize', String(maxBytes), '--format', FORMATS[kind], '--match-filters', '!is_live'],
    ...['--quiet', '--no-warnings', '--no-progress', '--no-mtime', '--output', 'media.%(ext)s'],
    ...(skipTlsVerification ? ['--no-check-certificates'] : []),
    ...['--', url],
  ];
}

/** Finds the largest regular file; links and other files in the directory are ignored. */
async function findLargestFile(home: string): Promise<string | undefined> {
  const names = (await readdir(home)).filter((name) => /^media\.[a-z0-9]{1,8}$/i.test(name));
  const files = await Promise.all(
    names.map(async (name) => ({ file: path.join(home, name), stat: await lstat(path.join(home, name)) })),
  );
  return files
    .filter(({ stat }) => stat.isFile() && stat.size > 0)
    .sort((one, other) => other.stat.size - one.stat.size)[0]?.file;
}

function toError(
  { kind, url, maxBytes }: YtDlpOptions,
  stderrTail: string,
  exitCode: number | null,
): ServiceError {
  const message = /ERROR:\s*([^\n]*)/.exec(stderrTail)?.[1] ?? stderrTail.split('\n').at(-1) ?? '';
  // The URL of the proxy has credentials.
  const shown = message.replace(/\/\/[^@/\s]*@/g, '//').slice(0, 500);
  const why = shown && ` yt-dlp says: ${shown}`;
  if (/file too large|EFBIG|larger than max-filesize/i.test(stderrTail)) {
    const most = `${maxBytes / 1024 / 1024} MiB`;
    return new ServiceError(
      'SCRAPE_CONTENT_TOO_LARGE',
      `The ${kind} of ${url} is larger than ${most}. The operator of this service can raise WINNOW_MAX_MEDIA_MB.`,
    );
  }
  if (DENIED_MESSAGE.test(message)) {
    return new ServiceError(
      'SCRAPE_MEDIA_ACCESS_DENIED',
      `The site restricts access to the ${kind} of ${url}.${why}`,
    );
  }
  if (NOT_FOUND_MESSAGE.test(message) || exitCode === 0) {
    return new ServiceError(NO_MEDIA_ERROR[kind], `No ${kind} was found on ${url}.${why}`);
  }
  return new ServiceError('SCRAPE_SITE_ERROR', `The ${kind} of ${url} could not be downloaded.${why}`);
}
