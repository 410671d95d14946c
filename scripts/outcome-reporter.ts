import { writeFileSync } from 'node:fs';
import { stripVTControlCharacters } from 'node:util';
import type { Reporter, SerializedError, TestCase, TestModule, TestSpecification } from 'vitest/node';

/** The environment variable that names the file for the outcome. */
export const OUTCOME_FILE = 'TEST_OUTCOME_FILE';

/** What became of a test file in its project. */
export interface FileOutcome {
  /** Its absolute path. */
  path: string;
  /** Its path from the root of its project, for people. */
  name: string;
  project: string;
  passed: number;
  /** A file that could not be loaded, or was not run to its end, counts as one failed test. */
  failed: number;
  /** What failed, as text. */
  failures: string[];
}

/** What became of a run of vitest. */
export interface Outcome {
  files: FileOutcome[];
  /** Errors that belong to no test file, for example those of a global setup. */
  otherErrors: string[];
}

/**
 * Writes what became of each test file as JSON. The `json` reporter of vitest names neither projects nor
 * other errors.
 */
export default class OutcomeReporter implements Reporter {
  #planned: readonly TestSpecification[] = [];

  onTestRunStart(planned: readonly TestSpecification[]): void {
    this.#planned = planned;
  }

  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly SerializedError[]): void {
    const outcomeFile = process.env[OUTCOME_FILE];
    if (!outcomeFile) throw new Error(`${OUTCOME_FILE} names no file`);
    const paths = new Set(modules.map(({ moduleId }) => moduleId));
    const outcome: Outcome = {
      files: modules.map((module) => readModule(module, unhandled)),
      otherErrors: [
        ...unhandled.filter((error) => !paths.has(fileOf(error))).map(describe),
        ...describeMissing(this.#planned),
      ],
    };
    writeFileSync(outcomeFile, JSON.stringify(outcome));
  }
}

function readModule(module: TestModule, unhandled: readonly SerializedError[]): FileOutcome {
  const failedTests = [...module.children.allTests('failed')];
  const suites = [module, ...module.children.allSuites()];
  const failures = [
    ...failedTests.map(describeTest),
    ...suites.flatMap((suite) => suite.errors().map(describe)),
    ...unhandled.filter((error) => fileOf(error) === module.moduleId).map(describe),
  ];
  const isUnfinished = !['passed', 'failed', 'skipped'].includes(module.state());
  if (isUnfinished) failures.push('The file was not run to its end.');
  const isFailed = failures.length > 0 || module.state() === 'failed';
  return {
    path: module.moduleId,
    name: module.relativeModuleId,
    project: module.project.name,
    passed: [...module.children.allTests('passed')].length,
    failed: Math.max(failedTests.length, isFailed ? 1 : 0),
    failures,
  };
}

/**
 * Vitest runs nothing more after an error of a global setup, and has no report on the files that it left out.
 */
function describeMissing(planned: readonly TestSpecification[]): string[] {
  const missing = planned.filter(({ testModule }) => !testModule);
  return missing.length
    ? [`${missing.length} test files did not run, for example ${missing[0]?.moduleId}`]
    : [];
}

/** Vitest notes which file ran in the process of an unhandled error. */
function fileOf(error: SerializedError): string {
  return String(error.VITEST_TEST_PATH ?? '');
}

function describeTest(test: TestCase): string {
  return [test.fullName, ...(test.result().errors ?? []).map(describe)].join('\n');
}

function describe({ name, message, stack, diff }: SerializedError): string {
  const text = stack?.includes(message) ? stack : [`${name}: ${message}`, stack].filter(Boolean).join('\n');
  return stripVTControlCharacters(diff ? `${text}\n${diff}` : text);
}
