import {
  choice,
  count,
  directory,
  flag,
  readCommandLine,
  refuse,
  required,
  text,
  texts,
} from './command-line.ts';
import { percentile, short, table } from './figures.ts';
import { installPeers } from './peers/install.ts';
import { compareDocumentConverters, documentSets } from './quality/documents.ts';
import { explainPage } from './quality/explain.ts';
import { measureGenerators } from './quality/generators.ts';
import { convert, type KitPage, readHtml, readPages } from './quality/kit.ts';
import { compareConverters, MARKDOWN_SETS } from './quality/markdown.ts';
import { peersOf, type SetName } from './quality/peers.ts';
import { measurePerturbed, type PlainPage, samplePages } from './quality/perturb.ts';
import { measurePrinted } from './quality/printed.ts';
import { type Score, score, summaryOf, tailOf } from './quality/scores.ts';
import { readSitePages, scoreConsensus, scoreSites } from './quality/sites.ts';
import { measureSnippets } from './quality/snippets.ts';

/** Pages that are perturbed of wcxb, and of the sites. */
const PERTURBED_PAGES = 150;

const HELP = `Extracts the main content of the annotated pages of a quality kit with the service's code (parse, clean, markdown) and
scores it with the kit's own scorer, beside other extractors and with the CPU time per page. For the sets spec, pages and
pages-mixed it only converts HTML to markdown, and runs other converters on the same pages. For sets of documents it
converts the files, and runs other packages on the same files. Takes some minutes, for documents up to an hour.
--sites, --consensus, --snippets, --perturb, --generators and --printed measure other pages than those of a set instead, and
--explain tells of one page what is dropped.

Usage: node bench/quality.ts --kit DIR [OPTIONS]

  --kit DIR      directory of the kit; run "npm install" in its folder score first
  --set SET      wcxb (default), aeb, spec, pages, pages-mixed, a set of documents such as odl-replay or multi-docx,
                 images for pages of odl-replay as images (beside the program tesseract, if it is installed), or
                 documents for all of those; all but the first two install the packages of bench/peers
  --type TYPE    only pages of one type, such as forum
  --exclude CSS  excludeTags of the scrapes, such as figcaption; may be repeated
  --half HALF    even or odd: only pages with such an id, to tune on one half and check on the other
  --ocr          documents: also convert them with OCR on the pages that need it
  --only NAME    documents: only converters with this in their name, such as Winnow
  --worst N      also list the N pages with the lowest F1, or the N documents with the lowest overall score; for
                 --sites and --consensus the N pages with the lowest recall, for --snippets those that miss most, for --perturb those that lost most
  --sites        pages of eleven documentation sites, against what their generators mark as content
  --consensus    pages of many kinds, against what three other extractors agree on
  --snippets     983 pages of trafilatura's evaluation, against texts that must and must not be in the result; gets the
                 pages with the program go
  --perturb      pages of wcxb, and of the sites if --folder is there, changed in ways that a reader does not see: the
                 share of pages that keep less than .98 of their words
  --generators   manuals in markdown as pages of a dozen site generators and themes, against the markdown: F1 of each
                 feature; installs the generators from the registries of npm and PyPI
  --printed      manuals as PDFs that Chromium prints in themes by seed, with known truth: scores of what is found again for
                 each theme; rules are tuned on even seeds and checked on odd ones (--half prints only one of them)
  --explain PAGE what onlyMainContent drops of a page, and by which signs; PAGE is a URL or a file
  --folder DIR   folder outside of the repository for the sites of --sites, which are about 100 MB of Debian's packages,
                 for the sites of --generators, or for the PDFs of --printed; what is there is not made again
  --seed N       --sites: another sample of 30 pages per site; --perturb: other pages and changes;
                 --printed: other themes; 0 by default
  --all          --perturb: all pages, which takes half an hour, instead of ${PERTURBED_PAGES} of wcxb and as many of the sites
  --help         print this text
`;

const options = readCommandLine(HELP, {
  kit: required(directory()),
  set: text('wcxb'),
  type: text(undefined),
  exclude: texts(),
  half: choice(['even', 'odd'], undefined),
  ocr: flag(),
  only: text(undefined),
  worst: count(0, 0),
  sites: flag(),
  consensus: flag(),
  snippets: flag(),
  perturb: flag(),
  generators: flag(),
  printed: flag(),
  explain: text(undefined),
  all: flag(),
  folder: text(undefined),
  seed: count(0, 0),
});

async function main(given: typeof options): Promise<void> {
  const { kit, folder, seed, worst, explain } = given;
  if (explain !== undefined) return void console.log(await explainPage(explain));
  if (given.consensus) return void console.log(await scoreConsensus(kit, worst));
  if (given.snippets) return void console.log(await measureSnippets(worst));
  if (given.perturb) return perturb(given);
  if (!given.sites && !given.generators && !given.printed) return measureSet(given);
  if (folder === undefined) refuse('--folder is missing, which --sites, --generators and --printed need');
  if (given.printed) return void console.log(await measurePrinted(kit, { ...given, folder }));
  if (given.generators) return void console.log(await measureGenerators(kit, { folder, worst }));
  console.log(await scoreSites(kit, { folder, seed, worst }));
}

async function perturb({ kit, folder, seed, worst, all }: typeof options): Promise<void> {
  const sample = (pages: PlainPage[]) => (all ? pages : samplePages(pages, seed, PERTURBED_PAGES));
  const annotated = (await readPages(kit, 'wcxb')).map((page) => ({ ...page, html: () => readHtml(page) }));
  const sites = folder === undefined ? [] : await readSitePages(kit, folder, seed);
  const pages = [...sample(annotated), ...sample(sites)];
  console.log(await measurePerturbed(pages, { seed, worst }));
}

async function measureSet(given: typeof options): Promise<void> {
  const { kit, set, half, type, exclude, worst, ocr, only } = given;
  const markdownSet = MARKDOWN_SETS.find((one) => one === set);
  if (markdownSet) {
    await installPeers();
    return void console.log(table(await compareConverters(kit, markdownSet)));
  }
  if (set !== 'wcxb' && set !== 'aeb') return compareDocuments(kit, set, { ocr, only, worst });
  const pages = (await readPages(kit, set)).filter(
    (page) => (!type || page.type === type) && (!half || halfOf(page.id) === half),
  );
  if (pages.length === 0) refuse(`--type: ${set} has no pages of the type ${type}`);
  const { scores, times } = await measure(kit, set, pages, exclude);
  report(set, scores, times, worst);
}

async function compareDocuments(
  kit: string,
  wanted: string,
  options: Parameters<typeof compareDocumentConverters>[2],
): Promise<void> {
  const sets = documentSets(kit).filter((set) => wanted === 'documents' || set === wanted);
  if (sets.length === 0) {
    const others = ['wcxb', 'aeb', ...MARKDOWN_SETS, 'documents', ...documentSets(kit)];
    refuse(`--set is one of ${others.join(', ')}, not ${wanted}`);
  }
  await installPeers();
  for (const set of sets) {
    const { rows, worst } = await compareDocumentConverters(kit, set, options);
    console.log(`\n${set}\n\n${[table(rows), ...worst].join('\n')}`);
  }
}

/** The half that a page belongs to. Ids are decimal or hexadecimal numbers. */
const halfOf = (id: string) => (Number.parseInt(id.slice(-1), 16) % 2 ? 'odd' : 'even');

async function measure(
  kit: string,
  set: SetName,
  pages: KitPage[],
  excludeTags?: string[],
): Promise<{ scores: Score[]; times: number[] }> {
  // Warms up, because code is slow until V8 has compiled it. These pages are converted again below.
  for (const page of pages.slice(0, 50)) await convert(page, excludeTags);
  const predictions: Record<string, string> = {};
  const times: number[] = [];
  for (const page of pages) {
    const { markdown, cpuMs } = await convert(page, excludeTags);
    predictions[page.id] = markdown;
    times.push(cpuMs);
  }
  return { scores: await score(kit, pages, predictions, set), times };
}

function report(set: SetName, scores: Score[], times: number[], worst: number): void {
  console.log(table([...summaryOf(set, scores), ...peersOf(set)]));
  console.log(`\n${tailOf(scores)}`);
  console.log(`CPU ms per page: p50 ${short(percentile(times, 0.5))}, p99 ${short(percentile(times, 0.99))}`);
  for (const { id, type, f1 } of scores.toSorted((a, b) => a.f1 - b.f1).slice(0, worst)) {
    console.log(`${f1.toFixed(3)}  ${id}  ${type}`);
  }
}

await main(options);
