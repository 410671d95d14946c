import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it } from 'vitest';
import { runCommand } from '../../src/run/embedded/command.ts';
import { textLines, writePdf } from '../content/parsers/pdf/pdf-writer.ts';
import { htmlFile } from '../support/api/parse.ts';
import { useService } from '../support/service/use-service.ts';

const service = useService();
const example = path.join(import.meta.dirname, '../../examples/parse-files.ts');

it('the example writes markdown beside each file, and names the files that failed', async () => {
  const directory = await mkdtemp(path.join(tmpdir(), 'winnow-example-'));
  try {
    const report = writePdf([{ texts: textLines(72, 80, ['From a PDF.']) }]);
    await writeFile(path.join(directory, 'report.pdf'), report);
    await writeFile(path.join(directory, 'page.html'), htmlFile('A page').content);
    const files = ['report.pdf', 'page.html', 'missing.docx'];
    const { exitCode, stdout, stderr } = await runCommand(process.execPath, [example, ...files], {
      cwd: directory,
      settings: { WINNOW_URL: service.url, WINNOW_API_KEY: service.key },
      timeoutMs: 150_000,
    });
    expect(stderr).toMatch(/^missing\.docx: /m);
    expect(stdout).toContain('report.pdf: 1 pages, 1 credits.');
    expect(exitCode).toBe(1);
    const markdownOf = (name: string) => readFile(path.join(directory, `${name}.md`), 'utf8');
    expect(await markdownOf('report.pdf')).toBe('From a PDF.');
    expect(await markdownOf('page.html')).toContain('# A page');
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
});
