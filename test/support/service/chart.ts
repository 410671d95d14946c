import { createHash } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parseAllDocuments } from 'yaml';
import { z } from 'zod';

const ROOT = path.join(import.meta.dirname, '..', '..', '..');
const CHART = path.join(ROOT, 'deploy', 'helm');

/** SHA-256 of all files of the Helm chart, with their names. */
export function hashOfChart(): string {
  const hash = createHash('sha256');
  for (const file of globSync('**/*.*', { cwd: CHART }).sort())
    hash
      .update(`${file}\0`)
      .update(readFileSync(path.join(CHART, file)))
      .update('\0');
  return hash.digest('hex');
}

/** A file of the chart, by its path below deploy/helm. */
export const readChart = (file: string) => readFileSync(path.join(CHART, file), 'utf8');

const variable = z.object({ name: z.string(), value: z.string().optional() });
const probe = z.object({ httpGet: z.object({ path: z.string(), port: z.string() }) });
const container = z.object({
  image: z.string(),
  command: z.array(z.string()),
  env: z.array(variable),
  ports: z.array(z.object({ name: z.string(), containerPort: z.int() })),
  startupProbe: probe,
  livenessProbe: probe,
  readinessProbe: probe,
  lifecycle: z.object({ preStop: z.object({ sleep: z.object({ seconds: z.int() }) }) }).optional(),
  securityContext: z.record(z.string(), z.unknown()),
});
const deployment = z.object({
  kind: z.literal('Deployment'),
  metadata: z.object({ name: z.string() }),
  spec: z.object({
    replicas: z.int().optional(),
    template: z.object({
      metadata: z.object({ labels: z.record(z.string(), z.string()) }),
      spec: z.object({
        terminationGracePeriodSeconds: z.int(),
        hostUsers: z.boolean().optional(),
        securityContext: z.record(z.string(), z.unknown()),
        containers: z.tuple([container]),
      }),
    }),
  }),
});
/** What the tests read of a Deployment. */
export type Deployment = z.output<typeof deployment>;

const manifest = z.object({
  kind: z.string(),
  metadata: z.object({ name: z.string() }),
  spec: z.record(z.string(), z.unknown()).optional(),
});

/** What the chart makes of one of its examples. */
export interface RenderedChart {
  example: string;
  /** The hash of the chart that it was rendered from. */
  hash: string;
  manifests: z.output<typeof manifest>[];
  deployments: Deployment[];
}

/** Reads what scripts/render-chart.ts has rendered. */
export function readRenderedCharts(): RenderedChart[] {
  const directory = path.join(ROOT, 'test', 'deploy', 'charts');
  return globSync('*.yaml', { cwd: directory }).map((example) => {
    const text = readFileSync(path.join(directory, example), 'utf8');
    const documents = parseAllDocuments(text).flatMap((document) => document.toJS() ?? []);
    const manifests = documents.map((document) => manifest.parse(document));
    return {
      example,
      hash: /^# Rendered by \S+ from (\w+)/.exec(text)?.[1] ?? '',
      manifests,
      deployments: documents
        .filter(({ kind }) => kind === 'Deployment')
        .map((document) => deployment.parse(document)),
    };
  });
}
