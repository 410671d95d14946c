import { createRequire } from 'node:module';
import { serveTasks } from '../../src/sandbox/task-loop.ts';

/** A sandboxed program for tests, whose tasks are the bodies of asynchronous functions. */

const AsyncFunction = Object.getPrototypeOf(async () => undefined).constructor;
const require = createRequire(import.meta.url);
let tasks = 0;

serveTasks(async ({ header, parts }) => {
  const value = await new AsyncFunction('require', 'tasks', 'parts', String(header))(require, tasks++, parts);
  return { header: value ?? null, parts: [] };
});
