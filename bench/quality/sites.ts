import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, open, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { markdownOf } from './kit.ts';

/** A page of a documentation site. */
interface SitePage {
  id: string;
  url: string;
  html(): Promise<string>;
}

/** The start of a URL that tells nothing about the site. */
export const HOST = 'http://127.0.0.1';

/**
 * Scores the pages of the kit's documentation sites against what the generators of the sites mark as content.
 * @param options.folder has the unpacked sites, or gets them
 * @param options.seed chooses the sample
 * @param options.worst number of pages with the lowest recall that are also listed
 * @returns what the kit's scorer prints
 */
export async function scoreSites(
  kit: string,
  { folder, seed, worst }: { folder: string; seed: number; worst: number },
): Promise<string> {
  const predictions: Record<string, string> = {};
  for (const { id, url, html } of await readSitePages(kit, folder, seed)) {
    predictions[id] = markdownOf(url, await html());
  }
  return scoreWith(kit, 'sites.mjs', predictions, (file) => [
    'score',
    folder,
    file,
    `--seed=${seed}`,
    `--worst=${worst}`,
  ]);
}

/** A sample of the pages of the documentation sites. Gets the sites that are not there yet. */
export async function readSitePages(kit: string, folder: string, seed: number): Promise<SitePage[]> {
  const script = path.join(kit, 'sites', 'get.sh');
  await run('bash', [script, folder], 'inherit');
  return inTemporaryFolder(async (temporary) => {
    // Through a pipe, the list would end after 64 KB, because the scorer exits before it is written.
    const file = path.join(temporary, 'pages.jsonl');
    const output = await open(file, 'w');
    try {
      const list = path.join(kit, 'score', 'sites.mjs');
      await run(process.execPath, [list, 'list', folder, `--seed=${seed}`], output.fd);
    } finally {
      await output.close();
    }
    const lines = (await readFile(file, 'utf8')).split('\n').filter(Boolean);
    return lines.map((line) => {
      // The kit is trusted.
      const page = JSON.parse(line) as { id: string; file: string; url: string };
      return { id: page.id, url: `${HOST}${page.url}`, html: () => readFile(page.file, 'utf8') };
    });
  });
}

/**
 * Scores pages of many kinds against what three other extractors agree on.
 * @param worst number of pages with the lowest recall that are also listed
 * @returns what the kit's scorer prints
 */
export async function scoreConsensus(kit: string, worst: number): Promise<string> {
  const folder = path.join(kit, 'pages-consensus', 'files');
  const predictions: Record<string, string> = {};
  for (const name of await readdir(folder)) {
    const bytes = await readFile(path.join(folder, name));
    const html = (name.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString();
    const id = name.replace(/\.gz$/, '');
    predictions[id] = markdownOf(`${HOST}/${encodeURIComponent(id)}`, html);
  }
  return scoreWith(kit, 'consensus.mjs', predictions, (file) => [file, `--worst=${worst}`]);
}

/**
 * Runs a scorer of the kit. @returns what it prints, without its last line, which repeats the result as JSON
 */
async function scoreWith(
  kit: string,
  scorer: string,
  predictions: Record<string, string>,
  args: (file: string) => string[],
): Promise<string> {
  return inTemporaryFolder(async (temporary) => {
    const file = path.join(temporary, 'predictions.json');
    await writeFile(file, JSON.stringify(predictions));
    const program = path.join(kit, 'score', scorer);
    const { stdout } = await promisify(execFile)(process.execPath, [program, ...args(file)], {
      maxBuffer: 2 ** 30,
    });
    return stdout.trimEnd().replace(/\n?[^\n]*$/, '');
  });
}

/** Runs a program. @throws Error if it fails */
async function run(program: string, args: string[], output: 'inherit' | number): Promise<void> {
  const [code, signal] = await once(spawn(program, args, { stdio: ['ignore', output, 'inherit'] }), 'exit');
  if (code !== 0)
    throw new Error(`${path.basename(program)} ${args.join(' ')} ended with ${code ?? signal}.`);
}

async function inTemporaryFolder<Result>(use: (folder: string) => Promise<Result>): Promise<Result> {
  const folder = await mkdtemp(path.join(tmpdir(), 'winnow-quality-'));
  try {
    return await use(folder);
  } finally {
    await rm(folder, { recursive: true });
  }
}
