/**
 * Converts files to markdown, side by side, and writes each result beside its file: `report.pdf` becomes `report.pdf.md`.
 *
 *   npx node examples/parse-files.ts report.pdf letter.docx page.html
 *
 * It needs Node 24, which `npx node` starts here.
 *
 * WINNOW_URL is the URL of the service, by default that of `npm start`, and WINNOW_API_KEY the key that it printed.
 */
import { openAsBlob } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { Firecrawl } from 'firecrawl';

const apiUrl = process.env.WINNOW_URL ?? 'http://127.0.0.1:3002';
const winnow = new Firecrawl({ apiUrl, apiKey: process.env.WINNOW_API_KEY ?? '' });

async function convert(file: string): Promise<void> {
  const upload = { data: await openAsBlob(file), filename: path.basename(file) };
  const {
    markdown = '',
    metadata,
    warning,
  } = await winnow.parse(upload, {
    formats: ['markdown'],
    parsers: [{ type: 'pdf', maxPages: 100 }, 'image'],
    timeout: 120_000,
  });
  await writeFile(`${file}.md`, markdown);
  console.log(
    `${file}: ${metadata?.numPages ?? 1} pages, ${metadata?.creditsUsed} credits. ${warning ?? ''}`,
  );
}

const files = process.argv.slice(2);
const results = await Promise.allSettled(files.map(convert));
for (const [index, result] of results.entries()) {
  if (result.status === 'fulfilled') continue;
  console.error(`${files[index]}: ${result.reason}`);
  process.exitCode = 1;
}
