import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { toMarkdown } from '../src/html/markdown/index.ts';
import { parseHtml } from '../src/html/parse/parse.ts';
import { parsePdf } from '../src/parsers/pdf/index.ts';

const HELP = `Converts the PDF documents of a quality set to markdown, scores them and prints CPU time per page.

Usage: node bench/documents.ts --kit DIR [--scorer FILE] [OPTIONS]

  --kit DIR      the quality kit, with docs/index.json
  --scorer FILE  its score/documents.mjs, where its packages are installed (KIT/score/documents.mjs)
  --out DIR      where the markdown goes (/tmp/winnow-documents)
  --set NAME     odl-replay, multi-pdf or docling-pdf (odl-replay)
  --worst N      list the N weakest documents (0)
  --help         this text
`;

const { values } = parseArgs({
  options: {
    kit: { type: 'string' },
    scorer: { type: 'string' },
    out: { type: 'string', default: '/tmp/winnow-documents' },
    set: { type: 'string', default: 'odl-replay' },
    worst: { type: 'string', default: '0' },
    help: { type: 'boolean' },
  },
});
if (values.help || !values.kit) process.stdout.write(HELP);
else await main(values.kit, values.scorer ?? join(values.kit, 'score/documents.mjs'));

interface Entry {
  set: string;
  id: string;
  file: string;
}

async function main(kit: string, scorer: string): Promise<void> {
  // Written by the kit.
  const index = JSON.parse(readFileSync(join(kit, 'docs/index.json'), 'utf8')) as Entry[];
  const entries = index.filter(({ set }) => set === values.set);
  const predictions: Record<string, string> = {};
  let pages = 0;
  let milliseconds = 0;
  // The first round warms up.
  for (const round of [0, 1]) {
    for (const { id, file } of entries) {
      const bytes = readFileSync(join(kit, 'docs', file));
      const start = process.cpuUsage();
      const document = await parsePdf(bytes);
      predictions[id] = toMarkdown(parseHtml(document.html), { removeBase64Images: false, tidy: true });
      const { user, system } = process.cpuUsage(start);
      if (round === 0) continue;
      milliseconds += (user + system) / 1000;
      pages += document.pages.length;
    }
  }
  mkdirSync(values.out, { recursive: true });
  const target = join(values.out, `${values.set}.json`);
  writeFileSync(target, JSON.stringify(predictions));
  process.stdout.write(`${pages} pages, ${(milliseconds / pages).toFixed(2)} CPU-ms per page\n`);
  execFileSync(process.execPath, [scorer, values.set, target, `--worst=${values.worst}`], {
    stdio: 'inherit',
  });
}
