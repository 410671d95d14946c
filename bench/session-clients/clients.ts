import { cp, mkdir, readdir } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { run } from '../clients/run-command.ts';

/** A foreign program for the DevTools protocol, with its releases that are known to work here. */
export interface Client {
  name: string;
  version: string;
  /** Advice on how to connect; empty if the `cdpUrl` of a session is enough. */
  connectBy: string;
  /**
   * Installs it below a directory, unless it is there.
   * @returns the command that runs its program, and settings of that program
   * @throws Error that says what is missing
   */
  install(directory: string): Promise<{ command: string[]; settings?: Record<string, string> }>;
}

const PROGRAMS = path.join(import.meta.dirname, 'programs');
const VERSIONS = { playwright: '1.65.2', selenium: '4.51.0', chromedp: 'v0.23.0', rod: 'v0.116.2' };

/** The program of a client, in the Node and with the packages of this repository. */
const inNode = (name: string) => async () => ({
  command: [process.execPath, path.join(PROGRAMS, `${name}.ts`)],
});

function versionOf(name: string): string {
  return createRequire(import.meta.url)(`${name}/package.json`).version;
}

/** All clients, in the order of the table. */
export const CLIENTS: Client[] = [
  { name: 'Playwright', version: versionOf('playwright'), connectBy: '', install: inNode('playwright') },
  {
    name: 'Playwright for Python',
    version: VERSIONS.playwright,
    connectBy: '',
    async install(directory) {
      return { command: [await installPython(directory), path.join(PROGRAMS, 'playwright_python.py')] };
    },
  },
  { name: 'Puppeteer', version: versionOf('puppeteer-core'), connectBy: '', install: inNode('puppeteer') },
  {
    name: 'chromedp',
    version: VERSIONS.chromedp,
    connectBy: '`remote.NoModifyURL`',
    install: async (directory) => ({ command: [path.join(await buildGo(directory), 'chromedp')] }),
  },
  {
    name: 'rod',
    version: VERSIONS.rod,
    connectBy: '',
    install: async (directory) => ({ command: [path.join(await buildGo(directory), 'rod')] }),
  },
  {
    name: 'Selenium for Python',
    version: VERSIONS.selenium,
    connectBy: 'a relay, see above',
    async install(directory) {
      const python = await installPython(directory);
      const DRIVER = await installChromedriver(directory);
      return {
        command: [python, path.join(PROGRAMS, 'selenium_python.py')],
        settings: { WINNOW_CLIENT_DRIVER: DRIVER },
      };
    },
  },
];

/** Installs the packages from PyPI. @returns the path of their Python */
async function installPython(directory: string): Promise<string> {
  const home = path.join(directory, 'python');
  const python = path.join(home, 'bin', 'python');
  await run(['python3', '-m', 'venv', home], directory);
  const packages = [`playwright==${VERSIONS.playwright}`, `selenium==${VERSIONS.selenium}`];
  await run(
    [python, '-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', ...packages],
    directory,
  );
  return python;
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
