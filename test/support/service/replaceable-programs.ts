import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { readConfig } from '../../../src/config.ts';
import { unpackEnglish } from '../../../src/content/parsers/pdf/ocr/english-data.ts';
import { findChromium } from '../../../src/run/embedded/chromium.ts';

/** Programs that a service uses in place of those of the machine, so that they can be replaced. */
export interface ReplaceablePrograms extends Disposable {
  /** What `startService` needs to use them. */
  start: { node: string; within?: string[]; env: Record<string, string> };
  /** The files that processes run; `undefined` where the service cannot be given a copy. */
  files: { node: string; bubblewrap: string | undefined; postgres: string | undefined };
  /** Whether there is a browser of another version, which is not so where only that of npm is installed. */
  hasOtherBrowser: boolean;
  /** Replaces a program by another build, file by file, as a package manager does. */
  replace: Record<
    'Chromium' | 'Node' | 'bubblewrap' | 'the language data of Tesseract' | 'Postgres',
    () => void
  >;
}

/** The name of a browser's file, whatever the build calls it. */
const BROWSER = 'chromium-headless-shell';
/** The first directory of the path on which bubblewrap is found. */
const LOCAL_PROGRAMS = '/usr/local/bin';

/** Where Debian installs Postgres. */
const POSTGRES = '/usr/lib/postgresql';

/** Copies the programs to a directory of their own. */
export async function copyPrograms(): Promise<ReplaceablePrograms> {
  const root = mkdtempSync(path.join(tmpdir(), 'winnow-programs-'));
  // The browser runs as another user.
  chmodSync(root, 0o755);
  const { cacheDir } = readConfig();
  const installed = await findChromium(readConfig());
  const other = installed.kind === 'npm' ? installed : await findChromium({ places: [], cacheDir });
  const chromium = path.join(root, 'chromium');
  const nextChromium = path.join(root, 'next-chromium');
  copyBrowser(installed, chromium);
  copyBrowser(other, nextChromium);
  const node = path.join(root, 'node');
  copyFileSync(process.execPath, node);
  const { languageData } = await unpackEnglish(path.resolve(cacheDir, 'ocr'));
  const languages = path.join(root, 'languages');
  cpSync(languageData, languages, { recursive: true });
  const bubblewrap = canMount() ? copyBubblewrap(path.join(root, 'local')) : undefined;
  const postgres = canMount() && existsSync(POSTGRES) ? path.join(root, 'postgresql') : undefined;
  if (postgres) cpSync(POSTGRES, postgres, { recursive: true, verbatimSymlinks: true });
  const within = [
    ...(bubblewrap ? mounting(path.dirname(bubblewrap), LOCAL_PROGRAMS) : []),
    ...(postgres ? mounting(postgres, POSTGRES) : []),
  ];
  return {
    start: {
      node,
      ...(within.length > 0 && { within }),
      env: { WINNOW_CHROMIUM: path.join(chromium, BROWSER), WINNOW_OCR_DATA: languages },
    },
    files: { node, bubblewrap, postgres },
    hasOtherBrowser: installed.kind !== 'npm',
    replace: {
      Chromium: () => replaceDirectory(chromium, nextChromium),
      Node: () => replaceProgram(node),
      bubblewrap: () => {
        if (bubblewrap) replaceProgram(bubblewrap);
      },
      'the language data of Tesseract': () => {
        for (const name of readdirSync(languages)) replaceFile(path.join(languages, name));
      },
      Postgres: () => {
        // Nothing of another build works with what runs of this one.
        const change = (next: string) => writeFileSync(next, 'another build');
        if (postgres) for (const file of filesOf(postgres)) replaceFile(path.join(postgres, file), change);
      },
    },
    [Symbol.dispose]: () => rmSync(root, { recursive: true, force: true }),
  };
}

/** Copies the directory of a browser. That of npm is started by a script with its path. */
function copyBrowser({ path: file, kind }: { path: string; kind: string }, directory: string): void {
  const source = path.dirname(file);
  cpSync(source, directory, { recursive: true });
  const program = path.join(directory, BROWSER);
  if (kind !== 'npm') {
    if (path.basename(file) !== BROWSER) renameSync(path.join(directory, path.basename(file)), program);
    return;
  }
  const script = readFileSync(file, 'utf8');
  writeFileSync(program, script.replaceAll(source, path.join(path.dirname(directory), 'chromium')), {
    mode: 0o755,
  });
}

/** Whether this user may mount directories in a namespace of its own. */
function canMount(): boolean {
  try {
    execFileSync('unshare', ['--mount', 'true'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

function copyBubblewrap(directory: string): string | undefined {
  mkdirSync(directory);
  cpSync(LOCAL_PROGRAMS, directory, { recursive: true, verbatimSymlinks: true });
  try {
    const file = execFileSync('sh', ['-c', 'command -v bwrap'], { encoding: 'utf8' }).trim();
    copyFileSync(file, path.join(directory, 'bwrap'));
    return path.join(directory, 'bwrap');
  } catch {
    return undefined;
  }
}

/** A command that runs another one where a directory is in the place of another. */
const mounting = (directory: string, place: string) => [
  ...['unshare', '--mount', 'sh', '-c', `mount --bind "$0" ${place} && exec "$@"`, directory],
];

/** Replaces a program by one of other content: the loader does not read what follows its sections. */
const replaceProgram = (file: string) => replaceFile(file, (next) => appendFileSync(next, 'another build'));

/** Replaces a file by another one of the same name, which is never missing. */
function replaceFile(file: string, change: (next: string) => void = () => undefined, source = file): void {
  const next = `${file}.dpkg-new`;
  copyFileSync(source, next);
  chmodSync(next, statSync(source).mode);
  change(next);
  renameSync(next, file);
}

/** The files below a directory, without links. */
const filesOf = (root: string) =>
  readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(root, path.join(entry.parentPath, entry.name)));

/**
 * Replaces the files of a directory by those of another one, and then deletes those that it does not have.
 */
function replaceDirectory(directory: string, next: string): void {
  for (const file of filesOf(next)) {
    mkdirSync(path.dirname(path.join(directory, file)), { recursive: true });
    replaceFile(path.join(directory, file), undefined, path.join(next, file));
  }
  const kept = new Set(filesOf(next));
  for (const file of filesOf(directory)) if (!kept.has(file)) rmSync(path.join(directory, file));
}
