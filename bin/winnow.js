#!/usr/bin/env node
// The entry point. It is plain JavaScript without dependencies and runs on Node 20 or newer. It reads the file of settings,
// installs the npm packages (Node 24 is one of them) and then runs src/cli.ts.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  closeSync,
  existsSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import * as nodeModule from 'node:module';
import { homedir } from 'node:os';
import { basename, dirname, join, relative } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { findProgram, isAlive, markInUse, removeOtherPrograms } from './packaged-program.js';
import { readSettingsFile } from './settings-file.js';

const OLDEST_NODE = 20;
const OWN_NODE = 24;
const SIGN_MS = 2000;

const packageRoot = dirname(dirname(fileURLToPath(import.meta.url)));
const nodeMajor = Number(process.versions.node.split('.')[0]);

// Messages name commands as they are typed here; see `commandOf` in src/config.ts.
process.env.WINNOW_PROGRAM ||= programName();
if (nodeMajor < OLDEST_NODE)
  fail(`Winnow needs Node ${OLDEST_NODE} or newer to start; this is ${process.version}.`);
try {
  const told = readSettingsFile(packageRoot);
  if (told && [undefined, 'up', 'doctor'].includes(process.argv[2])) say(told);
} catch (error) {
  fail(error.message, 2);
}
const { root, isPackaged } = findProgram(packageRoot, cacheDirectory());
if (isPackaged) markInUse(root);
const modules = join(root, 'node_modules');
const stamp = join(modules, '.winnow-installed');
const lock = readFileSync(join(root, 'package-lock.json'));
const wanted = `${createHash('sha256').update(lock).digest('hex')} ${process.platform} ${process.arch}\n`;
if (!isInstalled()) await installPackages();
await handOver();

/** How this process was started: by a script of package.json, by the command of the package, or by its file. */
function programName() {
  const script = process.env.npm_lifecycle_event;
  if (process.env.npm_package_name === 'winnow') {
    if (script === 'start') return 'npm start --';
    if (script === 'cli') return 'npm run cli --';
  }
  if (process.env.npm_command === 'exec') return 'npx winnow';
  const file = process.argv[1] ?? '';
  return basename(file) === 'winnow.js' ? `node ${relative(process.cwd(), file)}` : 'winnow';
}

/** Packages are reinstalled when the lockfile has changed; packages installed with plain npm count as installed. */
function isInstalled() {
  if (read(stamp) === wanted) return true;
  if (existsSync(stamp) || !holdsLockedPackages()) return false;
  writeFileSync(stamp, wanted);
  return true;
}

/** npm writes node_modules/.package-lock.json when it is done, so a killed install has no such file. */
function holdsLockedPackages() {
  const hidden = read(join(modules, '.package-lock.json'));
  if (!hidden) return false;
  const have = JSON.parse(hidden).packages;
  return Object.entries(JSON.parse(lock.toString()).packages).every(
    ([path, { version, optional, dev }]) =>
      !path || (!have[path] ? optional || dev : have[path].version === version),
  );
}

async function installPackages() {
  // npm would empty the link's target, which belongs to another checkout.
  if (isLink(modules))
    fail(`${modules} is a link, and its packages are not those of package-lock.json. Remove the link.`);
  const cache = cacheDirectory();
  mkdirSync(cache, { recursive: true });
  const turn = join(
    cache,
    `npm-install-${createHash('sha256').update(root).digest('hex').slice(0, 12)}.lock`,
  );
  if (!(await takeTurn(turn))) return;
  process.on('exit', () => read(turn) === String(process.pid) && rmSync(turn));
  await runNpm(join(cache, 'npm-install.log'));
  writeFileSync(stamp, wanted);
  if (isPackaged) removeOtherPrograms(cache, root);
  rmSync(turn, { force: true });
}

/** If two processes start at the same time, one installs and the other waits. Returns false if the packages are installed after
 * the wait. */
async function takeTurn(turn) {
  for (let told = false; ; ) {
    try {
      writeFileSync(turn, String(process.pid), { flag: 'wx' });
      if (isInstalled()) rmSync(turn);
      return existsSync(turn);
    } catch (error) {
      if (error.code !== 'EEXIST') throw error;
    }
    const holder = Number(read(turn));
    if (holder && !isAlive(holder)) rmSync(turn, { force: true });
    else if (!told) {
      say(`Another start (process ${holder}) is installing the npm packages; waiting for it.`);
      told = true;
    }
    await sleep(200);
  }
}

async function runNpm(logPath) {
  say('Installing the npm packages (about a minute, only once) …');
  const log = openSync(logPath, 'w');
  const startedAt = Date.now();
  const seconds = () => Math.round((Date.now() - startedAt) / 1000);
  let fetched = 0;
  // npm sets the path of its own script when it runs us; otherwise npm is on the PATH.
  const script = process.env.npm_execpath;
  const [program, first] = script?.endsWith('.js') ? [process.execPath, [script]] : ['npm', []];
  // A package has no tests, which are what the other dependencies are for.
  const omit = isPackaged ? ['--omit=dev'] : [];
  const npm = spawn(program, [...first, 'ci', ...omit, '--no-audit', '--no-fund', '--loglevel=http'], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  for (const stream of [npm.stdout, npm.stderr]) {
    stream.on('data', (chunk) => {
      writeSync(log, chunk);
      fetched += chunk.toString().split('.tgz').length - 1;
    });
  }
  const passOn = (signal) => npm.kill(signal);
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, passOn);
  const signs = setInterval(
    () => sign(`npm packages … ${seconds()} s${fetched ? `, ${fetched} fetched` : ''}`),
    SIGN_MS,
  );
  const how = await new Promise((resolve) => {
    npm.on('error', (error) => resolve(error.message));
    npm.on('close', (code, signal) => resolve(signal ?? code));
  });
  clearInterval(signs);
  closeSync(log);
  for (const signal of ['SIGINT', 'SIGTERM']) process.off(signal, passOn);
  if (how === 'SIGINT' || how === 'SIGTERM') fail('Interrupted; the next start installs again.', 130);
  if (how !== 0) {
    // npm prints the error first and help for the command after it.
    const lines = (read(logPath) ?? '').split('\n').filter((line) => /^npm error ./i.test(line));
    fail(
      `npm could not install the packages (${how}).\n${lines.slice(0, 12).join('\n')}\nThe whole log: ${logPath}`,
    );
  }
  sign(`npm packages: installed in ${seconds()} s\n`);
}

/** Runs src/cli.ts: in this process under Node 24, else in a child process under the installed Node 24. */
async function handOver() {
  // The compile cache saves 30 MB of memory and 0.1 s at every later start.
  const compiled = join(cacheDirectory(), 'compiled');
  const cli = join(root, 'src', 'cli.ts');
  const args = process.argv.slice(2);
  if (nodeMajor === OWN_NODE) {
    nodeModule.enableCompileCache(compiled);
    const { runCli } = await import(pathToFileURL(cli).href);
    process.exitCode = await runCli(args);
    return;
  }
  const node = [join(modules, '.bin', 'node'), nodeMajor > OWN_NODE && process.execPath].find(
    (path) => path && existsSync(path),
  );
  if (!node) {
    rmSync(stamp, { force: true });
    fail(
      'npm has not run the install script of the package `node`. Allow install scripts and start again, or use Node 24.',
    );
  }
  const child = spawn(node, [cli, ...args], {
    stdio: 'inherit',
    env: { ...process.env, NODE_COMPILE_CACHE: compiled },
  });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.on('error', (error) => fail(`Node 24 could not be started: ${error.message}`));
  child.on('exit', (code) => process.exit(code ?? 130));
}

/** The same default as in src/config.ts, which cannot be loaded before the packages are installed. */
function cacheDirectory() {
  if (process.env.WINNOW_CACHE_DIR) return process.env.WINNOW_CACHE_DIR;
  if (process.getuid?.() === 0) return '/var/cache/winnow';
  return join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'winnow');
}

function read(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

function isLink(path) {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;
}

function say(text) {
  process.stderr.write(`${text}\n`);
}

/** Prints progress: one redrawn line on a terminal, a new line each time elsewhere. */
function sign(text) {
  process.stderr.write(process.stderr.isTTY ? `\r\x1b[2K${text}` : `${text.trimEnd()}\n`);
}

function fail(message, exitCode = 1) {
  say(message);
  process.exit(exitCode);
}
