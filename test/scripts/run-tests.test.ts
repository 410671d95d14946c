import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';

const REPOSITORY = path.join(import.meta.dirname, '..', '..');
const PASSES = "import { test } from 'vitest';\ntest('passes', () => {});\n";
const FAILS = "import { expect, test } from 'vitest';\ntest('is wrong', () => { expect(1).toBe(2); });\n";
const FAILS_ONCE = `
import { existsSync, writeFileSync } from 'node:fs';
import { test } from 'vitest';
test('steady', () => {});
test('unsteady', () => {
  if (existsSync('ran')) return;
  writeFileSync('ran', '');
  throw new Error('the first time is too early');
});
`;
const DOES_NOT_PARSE = 'const = ;\n';

const directories: string[] = [];
afterAll(() => {
  for (const directory of directories) rmSync(directory, { recursive: true, force: true });
});

/** Runs the script on a project of these test files. */
async function runTests(files: Record<string, string>, globalSetup = '') {
  const root = mkdtempSync(path.join(tmpdir(), 'winnow-run-tests-'));
  directories.push(root);
  symlinkSync(path.join(REPOSITORY, 'node_modules'), path.join(root, 'node_modules'));
  mkdirSync(path.join(root, 'test'));
  writeFileSync(path.join(root, 'package.json'), '{"type":"module"}');
  writeFileSync(path.join(root, 'setup.js'), `export function setup() { ${globalSetup} }`);
  const settings = { name: 'small', include: ['test/*.test.ts'], globalSetup: './setup.js', maxWorkers: 1 };
  const config = { test: { projects: [{ test: settings }] } };
  writeFileSync(path.join(root, 'vitest.config.js'), `export default ${JSON.stringify(config)};`);
  for (const [name, text] of Object.entries(files)) writeFileSync(path.join(root, 'test', name), text);

  // The run inside must not take itself for a worker of the run outside.
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('VITEST')));
  return await new Promise<{ code: unknown; output: string }>((resolve) => {
    const args = [path.join(REPOSITORY, 'scripts/run-tests.ts'), '--root', root];
    execFile(process.execPath, args, { env }, (error, stdout) =>
      resolve({ code: error ? error.code : 0, output: stdout }),
    );
  });
}

test.concurrent('a file that passes by itself is listed as unsteady, with both outputs, and does not fail the run', async () => {
  const { code, output } = await runTests({ 'good.test.ts': PASSES, 'once.test.ts': FAILS_ONCE });
  const list = output.slice(output.indexOf('Unsteady'));
  expect(list).toMatch(/^Unsteady, a defect to be mended: \[small\] test\/once\.test\.ts\n/);
  expect(list).toMatch(/failed in the whole run:\nunsteady\nError: the first time is too early/);
  expect(list).toMatch(/passed by itself:\n[\s\S]*Tests .*2 passed/);
  expect(list).not.toContain('good.test.ts');
  expect(output).toMatch(/\n3 passed, 0 failed\n$/);
  expect(code).toBe(0);
});

test.concurrent('files that fail again, or cannot be loaded, fail the run', async () => {
  const { code, output } = await runTests({
    'bad.test.ts': FAILS,
    'broken.test.ts': DOES_NOT_PARSE,
    'good.test.ts': PASSES,
    'once.test.ts': FAILS_ONCE,
  });
  expect(output.match(/^Failed twice: .*$/gm)?.sort()).toEqual([
    'Failed twice: [small] test/bad.test.ts',
    'Failed twice: [small] test/broken.test.ts',
  ]);
  expect(output).toMatch(/^Failed twice: .*bad\.test\.ts\nis wrong\n.*expected 1 to be 2/m);
  expect(output).toMatch(/^Unsteady.*once\.test\.ts$/m);
  expect(output).toMatch(/\n3 passed, 2 failed\n$/);
  expect(code).toBe(1);
});

test.concurrent('an error of the global setup fails the run, and nothing runs again', async () => {
  const { code, output } = await runTests({ 'once.test.ts': FAILS_ONCE }, "throw new Error('no service');");
  expect(output).toMatch(
    /Errors that belong to no test file:\n\n1 test files did not run, for example .*once.test.ts/,
  );
  expect(output).not.toContain('Unsteady');
  expect(output).toMatch(/\n0 passed, 1 failed\n$/);
  expect(code).toBe(1);
});

test.concurrent('vitest that ends before it reports fails the run', async () => {
  const { code, output } = await runTests(
    { 'good.test.ts': PASSES },
    "process.kill(process.pid, 'SIGKILL');",
  );
  expect(output).toContain('Vitest ended with SIGKILL before it reported.');
  expect(output).toMatch(/\n0 passed, 1 failed\n$/);
  expect(code).toBe(1);
});
