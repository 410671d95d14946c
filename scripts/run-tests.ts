import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { type FileOutcome, OUTCOME_FILE, type Outcome } from './outcome-reporter.ts';

const REPOSITORY = path.join(import.meta.dirname, '..');
const VITEST = path.join(REPOSITORY, 'node_modules/vitest/vitest.mjs');
const REPORTERS = [
  '--reporter=default',
  `--reporter=${path.join(import.meta.dirname, 'outcome-reporter.ts')}`,
];

/** A run of vitest that ended. */
interface EndedRun {
  /** None if vitest did not get to its end. */
  outcome: Outcome | undefined;
  /** How vitest ended: an exit code or a signal. */
  ending: number | string;
  output: string;
}

/** A file that failed in the whole run, and its run by itself. */
interface Rerun {
  first: FileOutcome;
  /** None if vitest did not report on the file. */
  second: FileOutcome | undefined;
  output: string;
}

/** Runs vitest, shows its output, and reads its outcome. */
async function runVitest(root: string, args: string[]): Promise<EndedRun> {
  const directory = mkdtempSync(path.join(tmpdir(), 'winnow-outcome-'));
  const outcomeFile = path.join(directory, 'outcome.json');
  const child = spawn(process.execPath, [VITEST, 'run', '--root', root, ...REPORTERS, ...args], {
    cwd: root,
    env: { ...process.env, [OUTCOME_FILE]: outcomeFile },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const chunks: Buffer[] = [];
  for (const [from, to] of [[child.stdout, process.stdout] as const, [child.stderr, process.stderr] as const])
    from.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      to.write(chunk);
    });
  try {
    const ending = await new Promise<number | string>((resolve, reject) => {
      child.once('error', reject);
      child.once('close', (code, signal) => resolve(code ?? signal ?? 'unknown'));
      // A program that a test left behind may hold the pipes open, so they are not read for ever.
      child.once('exit', (code, signal) =>
        setTimeout(() => resolve(code ?? signal ?? 'unknown'), 2_000).unref(),
      );
    });
    // The reporter wrote it in this shape.
    const outcome = existsSync(outcomeFile)
      ? (JSON.parse(readFileSync(outcomeFile, 'utf8')) as Outcome)
      : undefined;
    return { outcome, ending, output: Buffer.concat(chunks).toString() };
  } finally {
    child.stdout.destroy();
    child.stderr.destroy();
    rmSync(directory, { recursive: true, force: true });
  }
}

/**
 * Why a whole run fails whatever a second run of its failed files would say; undefined if a second run
 * decides.
 */
function fatalFault({ outcome, ending }: EndedRun): string | undefined {
  if (!outcome) return `Vitest ended with ${ending} before it reported.`;
  if (outcome.otherErrors.length)
    return `Errors that belong to no test file:\n\n${outcome.otherErrors.join('\n\n')}`;
  if (typeof ending === 'string') return `Vitest was ended by ${ending}.`;
  if (ending !== 0 && !outcome.files.some(({ failed }) => failed))
    return `Vitest ended with ${ending}, although no test failed.`;
  return undefined;
}

/** Runs failed files again, one after the other: each by itself. */
async function rerun(root: string, failed: FileOutcome[]): Promise<Rerun[]> {
  const reruns: Rerun[] = [];
  for (const first of failed) {
    const project = first.project ? ['--project', first.project] : [];
    const { outcome, ending, output } = await runVitest(root, [
      ...project,
      '--no-file-parallelism',
      first.path,
    ]);
    const second = outcome?.files.find((file) => file.path === first.path);
    reruns.push({ first, second: ending === 0 ? second : second && failedOnce(second), output });
  }
  return reruns;
}

/** A run that did not end with 0 failed, also if each of its tests passed. */
function failedOnce(file: FileOutcome): FileOutcome {
  return { ...file, failed: Math.max(1, file.failed) };
}

function titleOf({ project, name }: FileOutcome): string {
  return project ? `[${project}] ${name}` : name;
}

/** The files that passed the second time, with both outputs, and those that failed twice, with what failed last. */
function reportReruns(reruns: Rerun[]): string {
  const isSteady = ({ second }: Rerun) => !second || second.failed > 0;
  const lines = reruns
    .filter((run) => !isSteady(run))
    .flatMap(({ first, output }) => [
      `Unsteady, a defect to be mended: ${titleOf(first)}`,
      '--- It failed in the whole run:',
      ...first.failures,
      '--- It passed by itself:',
      output.trim(),
      '',
    ]);
  const failedTwice = reruns
    .filter(isSteady)
    .flatMap(({ first, second }) => [`Failed twice: ${titleOf(first)}`, ...(second ?? first).failures]);
  return [...lines, ...failedTwice, ''].join('\n');
}

/** Runs all tests; what failed is judged by a second run. */
async function judge(root: string): Promise<{ isPassed: boolean; verdict: string }> {
  const whole = await runVitest(root, []);
  const files = whole.outcome?.files ?? [];
  const fault = fatalFault(whole);
  const failed = files.filter((file) => file.failed);
  const reruns = fault ? [] : await rerun(root, failed);
  const judged = files.map((file) => {
    const run = reruns.find(({ first }) => first === file);
    return run ? (run.second ?? file) : file;
  });
  const passes = judged.reduce((sum, file) => sum + file.passed, 0);
  const failures = judged.reduce((sum, file) => sum + file.failed, fault ? 1 : 0);
  const report = fault ? `${fault}\n` : reruns.length ? reportReruns(reruns) : '';
  return { isPassed: failures === 0, verdict: `${report}\n${passes} passed, ${failures} failed\n` };
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: { root: { type: 'string', default: REPOSITORY }, verdict: { type: 'string' } },
  });
  const { isPassed, verdict } = await judge(path.resolve(values.root));
  if (values.verdict) writeFileSync(values.verdict, verdict);
  else process.stdout.write(verdict);
  process.exitCode = isPassed ? 0 : 1;
}
