import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, realpathSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { commandOf } from '../../config.ts';
import { ServiceError } from '../../errors.ts';
import type { Language } from '../../schemas/session.ts';
import type { Confinement } from '../../system/sandbox/confinement.ts';
import { NODE_RESERVED_MB } from '../../system/sandbox/limits.ts';
import type { Mount, SandboxedProgram } from '../../system/sandbox/sandboxed-program.ts';
import { MAX_DOWNLOADS_BYTES } from '../downloads/downloads.ts';
import { PROTOCOL_SOCKET, SESSION_UID, type SessionDirectory } from '../session-directory.ts';
import { ARTIFACTS_PATH, DOWNLOADS_PATH } from '../session-paths.ts';
import { agentBrowserFile, PYTHON, pythonPackagesDirectory } from './language-files.ts';

/** Memory of the code of one language in a session, with all its processes. */
export const MEMORY_MB = 512;
/**
 * Memory above {@link MEMORY_MB} that the kernel still grants. The memory in use is measured ten times a
 * second, and a program above the limit is ended with an error that says so; this bound limits how much it
 * takes between two measurements.
 */
const MEMORY_MARGIN_MB = 1024;
/** Limit of V8's heap, which is a part of the memory. */
const HEAP_MB = 384;

const LIMITS = {
  memoryMb: MEMORY_MB,
  reservedMb: NODE_RESERVED_MB + MEMORY_MARGIN_MB,
  cpuSeconds: 3600,
  processes: 128,
  openFiles: 256,
  temporaryMb: 64,
  fileMb: MAX_DOWNLOADS_BYTES / 1024 ** 2,
};

/** The directory of the programs in the sandbox, which is the same on every machine. */
const HOME = '/opt/winnow';
const NODE = '/usr/local/bin/node';
const PROTOCOL_DIRECTORY = '/run/browser';
const SOCKET = `${PROTOCOL_DIRECTORY}/${PROTOCOL_SOCKET}`;
/** The port of the browser for agent-browser, inside the sandbox. */
const PORT = 9222;
/** The URL of the browser for Playwright: a Unix socket, and the path of the WebSocket. */
const BROWSER_URL = `ws+unix:${SOCKET}:/`;

const PROGRAMS = join(import.meta.dirname, 'programs');
/** Changes with the programs, so that their compiled code is stored again after an update. */
const PROGRAMS_HASH = createHash('sha256')
  .update(
    readdirSync(PROGRAMS, { withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ name }) => readFileSync(join(PROGRAMS, name), 'utf8'))
      .join(),
  )
  .digest('hex')
  .slice(0, 8);
const require = createRequire(import.meta.url);
const COMPILED = `${HOME}/compiled`;

/** Where a language finds what it needs. */
interface LanguageContext {
  confinement: Confinement;
  cacheDir: string;
}

/**
 * The sandboxed program that executes code of a language in a session.
 * @throws ServiceError `LANGUAGE_NOT_AVAILABLE` that says what has to be installed
 */
export function languageProgram(
  language: Language,
  {
    directory,
    ...context
  }: LanguageContext & { directory: Pick<SessionDirectory, 'protocol' | 'downloads' | 'artifacts'> },
): SandboxedProgram {
  const { command, mounts = [], env } = checkLanguage(language, context);
  const compiled = compiledCodeDirectory(context);
  const isCompiled = existsSync(compiled);
  return {
    ...BASE_PROGRAM,
    command,
    mounts: [
      ...BASE_MOUNTS,
      { source: directory.protocol, target: PROTOCOL_DIRECTORY },
      { source: directory.downloads, target: DOWNLOADS_PATH, isWritable: true },
      { source: directory.artifacts, target: ARTIFACTS_PATH, isWritable: true },
      ...(isCompiled ? [{ source: compiled, target: COMPILED }] : []),
      ...mounts,
    ],
    env: { ...BASE_PROGRAM.env, ...(isCompiled && { NODE_COMPILE_CACHE: COMPILED }), ...env },
  };
}

/**
 * The sandboxed program that stores V8's compiled code of the other programs.
 * @param directory where it is stored
 */
export function compilationProgram(directory: string, context: LanguageContext): SandboxedProgram {
  const python = pythonPackagesDirectory(context.cacheDir);
  const hasPython = python !== undefined && existsSync(python);
  const loads = [
    // Without an argument, they only load their modules.
    ...['node-program.ts', 'bash-program.ts'],
    ...(hasPython ? ['python/playwright/driver/package/cli.js --version >/dev/null'] : []),
  ];
  return {
    ...BASE_PROGRAM,
    command: ['/bin/sh', '-ec', loads.map((load) => `${NODE} ${HOME}/${load}`).join('\n')],
    mounts: [
      ...BASE_MOUNTS,
      { source: directory, target: COMPILED, isWritable: true },
      ...(hasPython ? [{ source: python, target: `${HOME}/python` }] : []),
    ],
    env: { ...BASE_PROGRAM.env, NODE_COMPILE_CACHE: COMPILED },
  };
}

/**
 * The directory of V8's compiled code, which depends on what is compiled and on the user that it is compiled
 * by.
 */
export function compiledCodeDirectory({ confinement, cacheDir }: LanguageContext): string {
  const python = pythonPackagesDirectory(cacheDir);
  const { version }: { version: string } = require(join(packageDirectory('playwright-core'), 'package.json'));
  const parts = [
    process.version,
    version,
    PROGRAMS_HASH,
    confinement,
    ...(python && existsSync(python) ? ['python'] : []),
  ];
  return join(cacheDir, `code-compiled-${parts.join('-')}`);
}

/**
 * Checks whether code of a language can run on this machine.
 * @returns the parts of its program
 * @throws ServiceError `LANGUAGE_NOT_AVAILABLE` that says what has to be installed
 */
export function checkLanguage(language: Language, context: LanguageContext): LanguageParts {
  if (context.confinement === 'user-only')
    throw new ServiceError(
      'LANGUAGE_NOT_AVAILABLE',
      'This server cannot execute code, because bubblewrap does not work on it. Its operator can install the package bubblewrap and allow unprivileged user namespaces.',
    );
  return PARTS[language](context);
}

/** The parts of a program that differ from language to language. */
interface LanguageParts {
  command: readonly [string, ...string[]];
  mounts?: Mount[];
  env?: Record<string, string>;
}

const PARTS: Record<Language, (context: LanguageContext) => LanguageParts> = {
  node: () => ({
    command: [
      NODE,
      `--max-old-space-size=${HEAP_MB}`,
      `${HOME}/node-program.ts`,
      BROWSER_URL,
      ARTIFACTS_PATH,
    ],
  }),
  python({ cacheDir }) {
    const packages = pythonPackagesDirectory(cacheDir);
    if (packages === undefined || !existsSync(packages))
      throw notInstalled('python', `Python 3.10 or newer at ${PYTHON} and Playwright for Python`);
    return {
      command: [PYTHON, `${HOME}/python_program.py`, BROWSER_URL, ARTIFACTS_PATH],
      mounts: [{ source: packages, target: `${HOME}/python` }],
      env: {
        PYTHONPATH: `${HOME}/python`,
        PYTHONDONTWRITEBYTECODE: '1',
        // The wheel brings a Node of its own, which is not installed.
        PLAYWRIGHT_NODEJS_PATH: NODE,
      },
    };
  },
  bash({ cacheDir }) {
    const agentBrowser = agentBrowserFile(cacheDir);
    if (agentBrowser === undefined || !existsSync(agentBrowser)) throw notInstalled('bash', 'agent-browser');
    return {
      command: [NODE, `${HOME}/bash-program.ts`, SOCKET, String(PORT)],
      mounts: [{ source: agentBrowser, target: '/usr/local/bin/agent-browser' }],
      env: {
        AGENT_BROWSER_CDP: `ws://127.0.0.1:${PORT}/`,
        AGENT_BROWSER_NO_VERSION_CHECK: '1',
        TOKIO_WORKER_THREADS: '2',
      },
    };
  },
};

const notInstalled = (language: Language, what: string) =>
  new ServiceError(
    'LANGUAGE_NOT_AVAILABLE',
    `This server cannot execute ${language} code, because ${what} is not installed. Its operator can run \`${commandOf('setup')}\` and \`${commandOf('doctor')}\`. Other languages are not affected.`,
  );

/** The programs, their packages, and the Node that runs them. */
const BASE_MOUNTS: readonly Mount[] = [
  { source: '/usr/bin', target: '/bin' },
  { source: realpathSync(process.execPath), target: NODE },
  ...readdirSync(PROGRAMS).map((name) => ({ source: join(PROGRAMS, name), target: join(HOME, name) })),
  { source: join(import.meta.dirname, '..', '..', '..', 'package.json'), target: join(HOME, 'package.json') },
  ...['playwright', 'playwright-core'].map((name) => ({
    source: packageDirectory(name),
    target: join(HOME, 'node_modules', name),
  })),
];

function packageDirectory(name: string): string {
  const { resolve } = createRequire(name === 'playwright' ? import.meta.url : require.resolve('playwright'));
  return dirname(resolve(`${name}/package.json`));
}

/** The parts that the programs of all languages share. */
const BASE_PROGRAM = {
  readOnlyPaths: ['/usr/bin', '/etc/alternatives', '/usr/share/zoneinfo'].filter((path) => existsSync(path)),
  // Programs must use the browser of the session instead of starting one.
  hiddenPaths: ['/usr/lib/chromium', '/usr/lib/chromium-browser', '/usr/lib/firefox-esr'],
  systemCallFilter: 'required' as const,
  uid: SESSION_UID,
  env: { PATH: '/usr/local/bin:/usr/bin:/bin', NODE_PATH: `${HOME}/node_modules` },
  limits: LIMITS,
};
