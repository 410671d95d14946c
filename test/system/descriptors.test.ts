import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';

const SOURCES = join(import.meta.dirname, '..', '..', 'src');

/**
 * Evaluates an expression in a process that may have 100 file descriptors and opens all of them.
 * @param expression may use what `imports` imports
 */
async function evaluateWithoutDescriptors(imports: string, expression: string): Promise<unknown> {
  const program = `
    import { openSync } from 'node:fs';
    ${imports}
    let free = 0;
    try {
      for (;; free++) openSync('/dev/null');
    } catch (error) {
      if (error.code !== 'EMFILE') throw error;
    }
    process.stdout.write(JSON.stringify({ free, value: await ${expression} }), () => process.exit());`;
  const { stdout } = await promisify(execFile)('sh', [
    ...['-c', 'ulimit -n 100; exec "$0" "$@"', process.execPath],
    ...['--input-type=module', '--eval', program],
  ]);
  const { free, value } = JSON.parse(stdout);
  expect(free).toBeGreaterThan(10);
  return value;
}

describe.skipIf(process.platform !== 'linux')('a process without free file descriptors', () => {
  it('knows that it has none', async () => {
    const imports = `import { freeDescriptors } from '${SOURCES}/system/descriptors.ts'; const before = freeDescriptors();`;
    const [before, now] = (await evaluateWithoutDescriptors(
      imports,
      '[before, freeDescriptors()]',
    )) as number[];
    expect(before).toBeGreaterThan(10);
    expect(before).toBeLessThan(100);
    expect(now).toBe(0);
  });

  it('measures other processes as if they used nothing, instead of failing', async () => {
    const imports = `import { measureTree } from '${SOURCES}/system/sandbox/process-tree.ts';`;
    expect(await evaluateWithoutDescriptors(imports, 'measureTree(process.pid)')).toMatchObject({
      residentBytes: 0,
      writtenBytes: 0,
    });
  });

  it('says that a program could not be started', async () => {
    const imports = `import { startProcessGroup } from '${SOURCES}/system/child-processes/process-group.ts';`;
    const started = `(async () => startProcessGroup(['true'], { cwd: '/', env: {}, stdio: ['pipe', 'pipe', 'pipe'] }))().then(() => 'started', ({ message }) => message)`;
    expect(await evaluateWithoutDescriptors(imports, started)).toMatch(/true was not started: too few file/);
  });
});
