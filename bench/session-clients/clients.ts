import { cp, mkdir, readdir } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { run } from '../clients/run-command.ts';

/** A foreign program for the DevTools protocol, with its releases that are known to work here. */
export interface Client {
  name: string;
  version: string;
  /** By what it does a step, where `cdpUrl` and the protocol are not enough. */
  by?: { connect?: string; download?: string };
  /**
   * Installs it below a directory, unless it is there.
   * @returns the command that runs its program, and settings of that program
   * @throws Error that says what is missing
   */
  install(directory: string): Promise<{ command: string[]; settings?: Record<string, string> }>;
}

const PROGRAMS = path.join(import.meta.dirname, 'programs');
const VERSIONS = {
  playwright: '1.65.2',
  selenium: '4.51.0',
  chromedp: 'v0.23.0',
  rod: 'v0.116.2',
  stagehand: '3.7.3',
  browserUse: '0.13.14',
  agentBrowser: '0.41.2',
};

const IN_PYTHON = [`playwright==${VERSIONS.playwright}`, `selenium==${VERSIONS.selenium}`];

/** The program of a client, in the Node and with the packages of this repository. */
const inNode = (name: string) => async () => ({
  command: [process.execPath, path.join(PROGRAMS, `${name}.ts`)],
});

function versionOf(name: string): string {
  return createRequire(import.meta.url)(`${name}/package.json`).version;
}

/** All clients, in the order of the table. */
export const CLIENTS: Client[] = [
  { name: 'Playwright', version: versionOf('playwright'), install: inNode('playwright') },
  {
    name: 'Playwright for Python',
    version: VERSIONS.playwright,
    async install(directory) {
      const python = await installPython(directory, 'python', IN_PYTHON);
      return { command: [python, path.join(PROGRAMS, 'playwright_python.py')] };
    },
  },
  { name: 'Puppeteer', version: versionOf('puppeteer-core'), install: inNode('puppeteer') },
  {
    name: 'chromedp',
    version: VERSIONS.chromedp,
    by: { connect: '`remote.NoModifyURL`' },
    install: async (directory) => ({ command: [path.join(await buildGo(directory), 'chromedp')] }),
  },
  {
    name: 'rod',
    version: VERSIONS.rod,
    install: async (directory) => ({ command: [path.join(await buildGo(directory), 'rod')] }),
  },
  {
    name: 'Selenium for Python',
    version: VERSIONS.selenium,
    by: { connect: 'a relay, see above' },
    async install(directory) {
      const python = await installPython(directory, 'python', IN_PYTHON);
      const DRIVER = await installChromedriver(directory);
      return {
        command: [python, path.join(PROGRAMS, 'selenium_python.py')],
        settings: { WINNOW_CLIENT_DRIVER: DRIVER },
      };
    },
  },
  {
    name: 'Stagehand',
    version: VERSIONS.stagehand,
    async install(directory) {
      const packages = await installNode(directory, `@browserbasehq/stagehand@${VERSIONS.stagehand}`);
      const PACKAGE = path.join(packages, '@browserbasehq', 'stagehand', 'dist', 'esm', 'index.js');
      const { command } = await inNode('stagehand')();
      return { command, settings: { WINNOW_CLIENT_PACKAGE: PACKAGE } };
    },
  },
  {
    name: 'browser-use',
    version: VERSIONS.browserUse,
    async install(directory) {
      const packages = [`browser-use==${VERSIONS.browserUse}`];
      const python = await installPython(directory, 'browser-use', packages);
      return {
        command: [python, path.join(PROGRAMS, 'browser_use_python.py')],
        settings: { ANONYMIZED_TELEMETRY: 'false', BROWSER_USE_LOGGING_LEVEL: 'result' },
      };
    },
  },
  {
    name: 'agent-browser',
    version: VERSIONS.agentBrowser,
    by: { download: 'the API' },
    async install(directory) {
      const packages = await installNode(directory, `agent-browser@${VERSIONS.agentBrowser}`);
      const PROGRAM = path.join(packages, '.bin', 'agent-browser');
      const { command } = await inNode('agent_browser')();
      return { command, settings: { WINNOW_CLIENT_PROGRAM: PROGRAM } };
    },
  },
];

/** Installs packages from PyPI, each set in a place of its own. @returns the path of their Python */
async function installPython(directory: string, name: string, packages: string[]): Promise<string> {
  const home = path.join(directory, name);
  const python = path.join(home, 'bin', 'python');
  await run(['python3', '-m', 'venv', home], directory);
  await run(
    [python, '-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', ...packages],
    directory,
  );
  return python;
}

/** Installs a package from npm, without programs of its installation. @returns the directory of all packages */
async function installNode(directory: string, name: string): Promise<string> {
  const home = path.join(directory, 'node');
  await mkdir(home, { recursive: true });
  const options = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  await run(['npm', 'install', '--prefix', home, ...options, name], home);
  return path.join(home, 'node_modules');
}

/** Builds the programs in Go with modules from the Go proxy. @returns the directory of the programs */
async function buildGo(directory: string): Promise<string> {
  const home = path.join(directory, 'go');
  const built = path.join(home, 'bin');
  for (const name of ['go.mod', 'steps', 'chromedp', 'rod'])
    await cp(path.join(PROGRAMS, name), path.join(home, name), { recursive: true });
  const settings = { GOFLAGS: '-mod=mod', GOPATH: path.join(directory, 'go-modules') };
  const modules = [
    `github.com/chromedp/chromedp@${VERSIONS.chromedp}`,
    `github.com/go-rod/rod@${VERSIONS.rod}`,
  ];
  await run(['go', 'get', ...modules], home, settings);
  await run(['go', 'build', '-o', `${built}/`, './...'], home, settings);
  return built;
}

/** Unpacks Debian's chromedriver, without its dependencies. @returns its path */
async function installChromedriver(directory: string): Promise<string> {
  const home = path.join(directory, 'chromedriver');
  const program = path.join(home, 'usr', 'bin', 'chromedriver');
  await mkdir(home, { recursive: true });
  const find = async () => (await readdir(home)).find((name) => name.endsWith('.deb'));
  if (!(await find())) await run(['apt-get', 'download', 'chromium-driver'], home);
  await run(['dpkg-deb', '-x', (await find()) ?? 'chromium-driver.deb', '.'], home);
  return program;
}
