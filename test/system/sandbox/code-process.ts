import { createRequire } from 'node:module';
import { serveTasks } from '../../../src/system/sandbox/task-loop.ts';

/** A sandboxed program for tests, whose tasks are the bodies of asynchronous functions. */

const AsyncFunction = Object.getPrototypeOf(async () => undefined).constructor;
const require = createRequire(import.meta.url);
let tasks = 0;

serveTasks(async ({ header, parts }, report) => {
  const code = new AsyncFunction('require', 'tasks', 'parts', 'report', String(header));
  const value = await code(require, tasks++, parts, report);
  return { header: value ?? null, parts: [] };
});
