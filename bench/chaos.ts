import { runMonitorChaos } from '../test/chaos/monitors/run.ts';
import { runChaos } from '../test/chaos/run.ts';
import { runSessionChaos } from '../test/chaos/sessions/run.ts';
import { type ChaosTarget, startEmbedded } from '../test/chaos/target.ts';
import { startClusterTarget } from './chaos/cluster-target.ts';
import { type CommandLine, readOptions } from './chaos/options.ts';
import { formatFindings, formatReport } from './chaos/report.ts';
import { runInterruptible } from './interrupt.ts';

/** Monitors that check pages while processes are killed. */
const MONITORS = 12;

async function main(options: CommandLine, signal: AbortSignal): Promise<void> {
  // UTC, as in the logs.
  const note = (text: string) =>
    void process.stderr.write(`${new Date().toISOString().slice(11, 19)}  ${text}\n`);
  const target = options.cluster ? await startClusterTarget(signal) : await startEmbedded();
  let keepData = true;
  try {
    const { text, violations } = await runRound(target, { ...options, signal, note });
    process.stdout.write(`${text}\n`);
    keepData = options.keep || violations.length > 0;
    if (violations.length) process.exitCode = 1;
  } finally {
    await target.stop({ keepData });
    if (keepData) note(`Logs and data are kept in ${target.dataDir}`);
  }
}

async function runRound(
  target: ChaosTarget,
  options: CommandLine & { signal: AbortSignal; note(text: string): void },
): Promise<{ text: string; violations: string[] }> {
  if (options.sessions) {
    const report = await runSessionChaos(target, options);
    return { text: formatFindings(report), violations: report.violations };
  }
  if (options.monitors) {
    const report = await runMonitorChaos(target, { ...options, monitors: MONITORS });
    return { text: formatFindings(report), violations: report.violations };
  }
  const report = await runChaos(target, options);
  return { text: formatReport(report), violations: report.violations };
}

const options = readOptions();
await runInterruptible((interrupt) => main(options, interrupt));
