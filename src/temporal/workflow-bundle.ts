import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { access, mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { bundleWorkflowCode, DefaultLogger } from '@temporalio/worker';

const source = path.join(import.meta.dirname, '..');
const run = promisify(execFile);

/**
 * Lists all files that the bundle depends on: those in it, and this one, which builds it. The architecture
 * test checks that workflows import no others.
 */
async function bundledFiles(): Promise<string[]> {
  const workflows = path.join(source, 'workflows');
  const files = (await readdir(workflows)).sort().map((name) => path.join(workflows, name));
  const shared = ['errors.ts', 'job-kinds.ts'].map((name) => path.join(source, name));
  return [...files, ...shared, path.join(source, '..', 'package-lock.json'), import.meta.filename];
}

/**
 * Finds the file with the bundle of the workflows, which is built again only when their code changes. The
 * bundler runs in a process of its own, because in the worker it would leave 100 MB of memory in use.
 * @returns the path of the file
 */
export async function workflowBundle(cacheDir: string): Promise<string> {
  const hash = createHash('sha256');
  for (const file of await bundledFiles()) hash.update(await readFile(file));
  const bundle = path.join(cacheDir, `workflows-${hash.digest('hex').slice(0, 16)}.js`);
  try {
    await access(bundle);
  } catch {
    await mkdir(cacheDir, { recursive: true });
    await run(process.execPath, [import.meta.filename, bundle]);
  }
  return bundle;
}

if (import.meta.main) {
  const target = process.argv[2];
  if (!target) throw new Error('usage: node src/temporal/workflow-bundle.ts FILE');
  const { code } = await bundleWorkflowCode({
    workflowsPath: path.join(source, 'workflows', 'index.ts'),
    workflowInterceptorModules: [path.join(source, 'workflows', 'trace-context.ts')],
    logger: new DefaultLogger('WARN'),
    // The worker keeps the source map in memory, where the sources themselves and the columns take 10 MB.
    // Stack traces need only lines.
    webpackConfigHook: (config) => ({ ...config, devtool: 'inline-nosources-cheap-module-source-map' }),
  });
  const draft = `${target}.${process.pid}`;
  await writeFile(draft, code);
  await rename(draft, target);
}
