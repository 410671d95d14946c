import { readFileSync } from 'node:fs';

/**
 * Loaded before a process of the service (`node --import`), this sets the clock of its JavaScript ahead or back by as
 * many milliseconds as a file says, which is read again and again. The time of the system stays what it is.
 */

const READ_EVERY_MS = 250;
const file = process.env.SHIFTED_CLOCK_FILE ?? '';
const SystemDate = Date;

let shiftMs = 0;
setInterval(() => {
  shiftMs = Number(readFileSync(file, 'utf8'));
}, READ_EVERY_MS).unref();

const now = () => SystemDate.now() + shiftMs;

globalThis.Date = new Proxy(SystemDate, {
  construct: (date, values, target) => Reflect.construct(date, values.length ? values : [now()], target),
  apply: () => new SystemDate(now()).toString(),
  get: (date, name) => (name === 'now' ? now : Reflect.get(date, name)),
});
