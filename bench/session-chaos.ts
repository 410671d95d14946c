import { parseArgs } from 'node:util';
import { onInterrupt } from '../src/cli/interrupt.ts';
import { messageOf } from '../src/errors.ts';
import { runSessionChaos } from '../test/chaos/sessions/run.ts';
import { startEmbedded } from '../test/chaos/target.ts';
import { table } from './figures.ts';

const HELP = `Uses browser sessions in every way while Chromium, sandboxes, the worker and the API are killed with SIGKILL at random.
Checks that no process, directory, lease, row or workflow is left behind, that every session was billed once, and that
the service works. Prints a table. If something was wrong, exits with 1 and keeps logs and data.

Usage: node bench/session-chaos.ts [OPTIONS]

  --kills N        number of kills (50)
  --seed N         seed of all random numbers (1)
  --help           print this text
`;

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      kills: { type: 'string', default: '50' },
      seed: { type: 'string', default: '1' },
      help: { type: 'boolean' },
    },
  });
  if (values.help) return void process.stdout.write(HELP);
  // UTC, as in the logs.
  const note = (text: string) =>
    void process.stderr.write(`${new Date().toISOString().slice(11, 19)}  ${text}\n`);
  const { signal } = onInterrupt(note);
  const target = await startEmbedded();
  let keepData = true;
  try {
    const report = await runSessionChaos(target, {
      ...{ kills: Number(values.kills), seed: Number(values.seed), signal, note },
    });
    const { violations, kills, counts, seconds } = report;
    const figures = {
      ...Object.fromEntries(Object.entries(kills).map(([victim, count]) => [`kills: ${victim}`, count])),
      ...{ ...counts, seconds, violations: violations.length },
    };
    const rows = Object.entries(figures).map(([figure, value]) => ({ figure, value }));
    process.stdout.write([table(rows), ...violations.map((text) => `WRONG  ${text}`), ''].join('\n'));
    keepData = violations.length > 0;
    if (keepData) process.exitCode = 1;
  } finally {
    await target.stop({ keepData });
    if (keepData) note(`Logs and data are kept in ${target.dataDir}`);
  }
}

if (import.meta.main) {
  try {
    await main();
  } catch (error) {
    process.stderr.write(`${messageOf(error)}\n`);
    // Waits for a service that did not start would otherwise keep the process alive.
    process.exit(1);
  }
}
