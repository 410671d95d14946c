import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { DOCUMENT_PEERS, TESSERACT } from '../peers/documents.ts';
import { byRole, peakResidentMb, sampleProcesses } from '../processes.ts';
import { renderPages } from './page-images.ts';
import type { ConvertedFile } from './winnow-documents.ts';
import { WINNOW_VARIANTS } from './winnow-documents.ts';

/** Rounds through a set. V8 compiles much of the code in the first ones, which are not measured. */
const WARM_UP_ROUNDS = 2;
const MEASURED_ROUNDS = 2;

/** Pages of `odl-replay` as images, so that only OCR can read them. */
const IMAGES = { set: 'images', source: 'odl-replay', count: 50 };

interface Entry {
  set: string;
  id: string;
  /** Paths below the folder `docs` of the kit; for images an absolute one. */
  file: string;
  truth: string;
}

/** The scores of a document from 0 to 1, `null` where the reference has no such content. */
type Scores = Record<'overall' | 'nid' | 'teds' | 'mhs' | 'cells', number | null>;
type ScoreDocument = (truth: string, markdown: string) => Scores;

/** A converter in its own process, with what it made of the documents. */
interface Run {
  name: string;
  process: ChildProcess;
  markdown: Map<string, string>;
  pages: number;
  failed: Set<string>;
  cpuMs: number;
  /**
   * The most memory of the process that parses documents: a sandboxed one if there is one, which ends when it
   * is idle.
   */
  peakMb: number;
}

/** The names of the kit's sets of documents. */
export const documentSets = (kit: string): string[] => [
  ...new Set(readIndex(kit).map(({ set }) => set)),
  IMAGES.set,
];

// The kit is trusted.
const readIndex = (kit: string) =>
  JSON.parse(readFileSync(path.join(kit, 'docs', 'index.json'), 'utf8')) as Entry[];

/**
 * Converts the documents of a set with Winnow and all peers. They take turns round by round, so that the
 * drifting speed of the machine affects all alike.
 * @param options.only a part of the names of the converters to run; all by default
 * @param options.worst number of documents with the lowest scores of Winnow that are also listed
 * @returns a row for each converter, with scores and CPU time, and lines about the worst documents
 */
export async function compareDocumentConverters(
  kit: string,
  set: string,
  options: { ocr: boolean; worst: number; only?: string | undefined },
): Promise<{ rows: Record<string, string>[]; worst: string[] }> {
  const directory = await mkdtemp(path.join(tmpdir(), 'winnow-quality-'));
  const isImages = set === IMAGES.set;
  const entries = isImages
    ? await renderImages(kit, directory)
    : readIndex(kit).filter((entry) => entry.set === set);
  // OCR takes seconds, so compiling our code does not count.
  const warmUp = isImages ? 0 : WARM_UP_ROUNDS;
  const measured = isImages ? 1 : MEASURED_ROUNDS;
  const runs = await Promise.all(namesFor(entries, options).map((name) => startRun(name, directory)));
  try {
    for (let round = 0; round < warmUp + measured; round++) {
      for (const run of runs) {
        const before = cpuMs(run);
        await convertAll(run, entries, kit);
        if (round >= warmUp) run.cpuMs += (cpuMs(run) - before) / measured;
      }
    }
    const score = await loadDocumentScorer(kit);
    const pages = Math.max(...runs.map((run) => run.pages));
    const scored = runs.map((run) => ({ run, scores: scoresOf(run, entries, kit, score) }));
    const [winnow] = scored as [(typeof scored)[number]];
    return {
      rows: scored.map(({ run, scores }) => rowOf(run, scores, pages, entries.length)),
      worst: entries
        .map(({ id }, place) => ({ id, overall: winnow.scores[place]?.overall ?? 1 }))
        .sort((a, b) => a.overall - b.overall)
        .slice(0, options.worst)
        .map(({ id, overall }) => `${overall.toFixed(3)}  ${id}`),
    };
  } finally {
    for (const { process } of runs) {
      process.disconnect();
      if (process.exitCode === null) await once(process, 'exit');
    }
    await rm(directory, { recursive: true });
  }
}

async function renderImages(kit: string, directory: string): Promise<Entry[]> {
  const entries = readIndex(kit)
    .filter(({ set }) => set === IMAGES.source)
    .slice(0, IMAGES.count);
  const images = await renderPages(
    entries.map(({ file }) => path.join(kit, 'docs', file)),
    directory,
  );
  return entries.map((entry, place) => ({ ...entry, file: images[place] ?? '' }));
}

/** Winnow and the peers that read the types of the documents. Those of `docling-odf` are of several types. */
function namesFor(
  entries: readonly Entry[],
  { ocr, only = '' }: { ocr: boolean; only?: string | undefined },
): string[] {
  const types = new Set(entries.map(({ file }) => path.extname(file).slice(1)));
  if (types.has('png')) return ['Winnow', TESSERACT.name];
  const peers = DOCUMENT_PEERS.filter((peer) => [...types].some((type) => peer.types.includes(type)));
  const winnow = WINNOW_VARIANTS.filter((name) => ocr || name !== 'Winnow with OCR');
  return [...winnow, ...peers.map(({ name }) => name)].filter((name) => name.includes(only));
}

async function startRun(name: string, directory: string): Promise<Run> {
  const program = path.join(import.meta.dirname, 'document-process.ts');
  const process = fork(program, [name, directory]);
  await reply(name, process);
  return { name, process, markdown: new Map(), pages: 0, failed: new Set(), cpuMs: 0, peakMb: 0 };
}

/** The next message of a process. @throws Error if the process ends */
async function reply(name: string, process: ChildProcess): Promise<ConvertedFile> {
  const waiting = new AbortController();
  const { signal } = waiting;
  try {
    return await Promise.race([
      // The processes send nothing else.
      once(process, 'message', { signal }).then(([message]) => message as ConvertedFile),
      once(process, 'exit', { signal }).then(([code, end]) => {
        throw new Error(`The process of ${name} ended with ${code ?? end}.`);
      }),
    ]);
  } finally {
    waiting.abort();
  }
}

async function convertAll(run: Run, entries: readonly Entry[], kit: string): Promise<void> {
  run.pages = 0;
  for (const { id, file } of entries) {
    run.process.send(path.resolve(kit, 'docs', file));
    const { markdown, pages = 1 } = await reply(run.name, run.process);
    run.pages += pages;
    if (markdown === undefined) run.failed.add(id);
    else run.markdown.set(id, markdown);
  }
  run.peakMb = Math.max(run.peakMb, peakMb(run.process.pid ?? 0));
}

/** CPU milliseconds of the process of a converter and of all processes below it, ended ones included. */
const cpuMs = ({ process }: Run) => byRole(sampleProcesses({ run: process.pid ?? 0 }), 'cpuMs').run ?? 0;

function scoresOf(run: Run, entries: readonly Entry[], kit: string, score: ScoreDocument): Scores[] {
  return entries.map(({ id, truth }) =>
    score(readFileSync(path.join(kit, 'docs', truth), 'utf8'), run.markdown.get(id) ?? ''),
  );
}

function rowOf(run: Run, scores: readonly Scores[], pages: number, documents: number) {
  const mean = (key: keyof Scores) => {
    const values = scores.flatMap((one) => one[key] ?? []);
    const sum = values.reduce((total, value) => total + value, 0);
    return values.length > 0 ? (sum / values.length).toFixed(3).replace(/^0/, '') : '–';
  };
  const { name, failed, cpuMs, peakMb } = run;
  return {
    converter: name,
    overall: mean('overall'),
    NID: mean('nid'),
    TEDS: mean('teds'),
    MHS: mean('mhs'),
    cells: mean('cells'),
    failed: String(failed.size),
    'CPU-ms/document': (cpuMs / documents).toFixed(2),
    'CPU-ms/page': pages > documents ? (cpuMs / pages).toFixed(2) : '',
    'peak MB': peakMb.toFixed(0),
  };
}

/** The most memory that the process had until now that parses documents. */
function peakMb(root: number): number {
  const below = sampleProcesses({ run: root }).filter(({ pid }) => pid !== root);
  return Math.max(...(below.length > 0 ? below : [{ pid: root }]).map(({ pid }) => peakResidentMb(pid)));
}

/** The function of the kit that scores a document. */
export async function loadDocumentScorer(kit: string): Promise<ScoreDocument> {
  const file = path.resolve(kit, 'score', 'lib', 'document-metrics.mjs');
  if (!existsSync(path.resolve(kit, 'score', 'node_modules')))
    throw new Error(`The scorer of the kit lacks its packages. Run "npm install" in ${kit}/score.`);
  // The kit's function, see its README.
  return ((await import(pathToFileURL(file).href)) as { scoreDocument: ScoreDocument }).scoreDocument;
}
