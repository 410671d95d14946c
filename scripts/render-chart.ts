import { execFileSync } from 'node:child_process';
import { globSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { hashOfChart } from '../test/support/service/chart.ts';

/**
 * Renders the Helm chart with each of its examples into test/deploy/charts, for the tests, which have no Helm.
 * Needs `helm` on the PATH; checks the chart and what it makes, with `kubernetes-validate` (PyPI) if it is there too.
 */
const ROOT = path.join(import.meta.dirname, '..');
const CHART = path.join(ROOT, 'deploy', 'helm');
const RENDERED = path.join(ROOT, 'test', 'deploy', 'charts');
/** A Helm that was not released takes no version of Kubernetes for granted. */
const VERSION = ['--kube-version', '1.33.0'];
/** Enough for a chart that makes its Secret. */
const SECRETS = [
  'DATABASE_URL=postgres://winnow:p1@postgres:5432/winnow',
  'WINNOW_SECRET_KEY=k1',
  'WINNOW_API_KEY=fc-1',
];

const run = (command: string, args: string[]) => execFileSync(command, args, { encoding: 'utf8', cwd: ROOT });

for (const file of readdirSync(path.join(CHART, 'examples'))) {
  const example = path.join(CHART, 'examples', file);
  const values = ['--values', example, ...SECRETS.flatMap((secret) => ['--set', `secret.values.${secret}`])];
  process.stdout.write(run('helm', ['lint', '--strict', ...VERSION, CHART, ...values]));
  const manifests = run('helm', ['template', 'test', CHART, ...VERSION, ...values]);
  writeFileSync(
    path.join(RENDERED, file),
    // Some versions of Helm end lines in spaces.
    `# Rendered by scripts/render-chart.ts from ${hashOfChart()}\n${manifests.replaceAll(/ +$/gm, '')}`,
  );
}
process.stdout.write(`Rendered ${globSync('*.yaml', { cwd: RENDERED }).join(', ')}.\n`);
