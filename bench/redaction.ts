import { createContent } from '../src/content/html/content.ts';
import { redactSnapshot } from '../src/content/redaction/redact-snapshot.ts';
import type { Snapshot } from '../src/content/snapshot.ts';
import { articlePage } from '../test/site/article.ts';
import { type Part, readMarkedTexts } from '../test/support/redaction/marked-texts.ts';
import { scoreRedaction } from '../test/support/redaction/score.ts';
import { count, flag, readCommandLine } from './command-line.ts';
import { percentile, short, table } from './figures.ts';

const HELP = `Measures the option redactPII: recall and precision of the rules on texts in ten languages whose personal data is
marked (test/support/redaction), and the CPU time of the redaction of an article of 77 KB beside that of its conversion to
markdown. Takes about ten seconds.

Usage: node bench/redaction.ts [OPTIONS]

  --rounds N    number of redactions that are measured (300)
  --faults      list what the rules missed or mistook in the texts that they may be fitted to
  --help        print this text
`;

/** An article of 77,064 bytes. */
const ARTICLE = 32;
const PARTS: Part[] = ['tuned', 'held out'];

const options = readCommandLine(HELP, { rounds: count(300), faults: flag() });
main(options.rounds, options.faults);

function main(rounds: number, listsFaults: boolean): void {
  const scores = PARTS.map((part) => ({ part, ...scoreRedaction(readMarkedTexts(part)) }));
  const rows = scores.map(({ part, marks, recall, precision }) => ({
    texts: part,
    'marked data': String(marks),
    recall: recall.toFixed(3),
    precision: precision.toFixed(3),
  }));
  process.stdout.write(`${table(rows)}\n`);
  if (listsFaults) process.stdout.write(`${scores[0]!.faults.join('\n')}\n`);
  process.stdout.write(`${table(measureCpu(rounds))}\n`);
}

/** Measures both in turn, so that other load of the machine is the same for both. */
function measureCpu(rounds: number): Record<string, string>[] {
  const page = articlePage(ARTICLE, 'http://site.test').toString();
  const snapshot: Snapshot = {
    sourceUrl: 'http://site.test/',
    url: 'http://site.test/',
    statusCode: 200,
    contentType: 'text/html',
    kind: 'html',
    text: page,
    engine: 'http',
    fetchedAt: 0,
    files: {},
    proxy: 'basic',
  };
  const steps = {
    redaction: () => redactSnapshot(snapshot, { mode: 'fast', replaceStyle: 'tag' }, () => undefined).text,
    conversion: () => createContent(snapshot, { onlyMainContent: true, removeBase64Images: true }).markdown,
  };
  const times = new Map<string, number[]>(Object.keys(steps).map((name) => [name, []]));
  for (let round = 0; round < rounds * 2; round++) {
    for (const [name, step] of Object.entries(steps)) {
      const start = process.cpuUsage();
      step();
      const { user, system } = process.cpuUsage(start);
      // The first half warms up.
      if (round >= rounds) times.get(name)!.push((user + system) / 1000);
    }
  }
  const bytes = Buffer.byteLength(page).toLocaleString('en-GB');
  return [...times].map(([name, own]) => ({
    [`article of ${bytes} bytes`]: name,
    'CPU-ms, least': short(Math.min(...own)),
    p50: short(percentile(own, 0.5)),
    p99: short(percentile(own, 0.99)),
  }));
}
