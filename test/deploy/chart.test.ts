import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { describeSettings, REQUIRED_ROLES, readConfig } from '../../src/config.ts';
import { type Deployment, hashOfChart, readChart, readRenderedCharts } from '../support/service/chart.ts';
import { readCompose, serviceOf } from '../support/service/compose.ts';

/** The Helm chart of deploy/helm. The tests have no Helm: scripts/render-chart.ts renders it. */

const names = z.array(z.string());
const lists = { shared: names, api: names, worker: names };
const settings = z
  .strictObject({ ...lists, secret: z.strictObject(lists) })
  .parse(parse(readChart('settings.yaml')));
const known = new Set(describeSettings().map(({ variable }) => variable));
/** What the templates set, by kind of process. */
const FIXED = {
  api: ['HOST', 'PORT'],
  worker: ['HOST', 'WINNOW_WORKER_PORT', 'WINNOW_SESSION_ADDRESS', 'WINNOW_WORKER_ROLES'],
};
const charts = readRenderedCharts();
const kindOf = ({ metadata }: Deployment) => (metadata.name.endsWith('-api') ? 'api' : 'worker');
const containerOf = ({ spec }: Deployment) => spec.template.spec.containers[0];

/** The environment of a pod, with a value for each key of the Secret that it cannot do without. */
function environmentOf(deployment: Deployment): Record<string, string> {
  const secrets: Record<string, string> = {
    DATABASE_URL: 'postgres://winnow:p1@postgres:5432/winnow',
    WINNOW_SECRET_KEY: 'k1',
    WINNOW_API_KEY: 'fc-1',
  };
  const { env } = containerOf(deployment);
  return Object.fromEntries(env.map(({ name, value }) => [name, value ?? secrets[name] ?? '']));
}

describe('the settings of the chart', () => {
  it.each(['api', 'worker'] as const)('are those that docker-compose.yml gives to the %s', async (kind) => {
    const { environment } = serviceOf(await readCompose(), kind);
    const given = [
      ...settings.shared,
      ...settings[kind],
      ...settings.secret.shared,
      ...settings.secret[kind],
    ];
    // Compose has a Temporal server of its own, without TLS.
    const ofChart = given.filter((name) => !name.startsWith('TEMPORAL_'));
    const fixed: string[] = FIXED[kind];
    const ofCompose = Object.keys(environment).filter(
      (name) => !name.startsWith('TEMPORAL_') && !fixed.includes(name),
    );
    expect(new Set(ofChart)).toEqual(new Set(ofCompose));
    expect(new Set(given).size).toBe(given.length);
  });

  it('exist, but for those that the S3 library reads itself', () => {
    const all = [settings, settings.secret].flatMap(({ shared, api, worker }) => [
      ...shared,
      ...api,
      ...worker,
    ]);
    expect(all.filter((name) => !known.has(name) && !name.startsWith('AWS_'))).toEqual([]);
  });

  it('are described in the values where they have to be set', () => {
    const values = z
      .object({ settings: z.record(z.string(), z.string()) })
      .parse(parse(readChart('values.yaml')));
    expect(Object.keys(values.settings).filter((name) => !settings.shared.includes(name))).toEqual([]);
  });
});

it('the versions of the chart are that of the package', () => {
  const { version } = JSON.parse(
    readFileSync(path.join(import.meta.dirname, '..', '..', 'package.json'), 'utf8'),
  );
  expect(parse(readChart('Chart.yaml'))).toMatchObject({ version, appVersion: version });
});

it('both examples were rendered from the chart as it is; otherwise run scripts/render-chart.ts', () => {
  expect(charts.map(({ example, hash }) => [example, hash])).toEqual([
    ['own-services.yaml', hashOfChart()],
    ['temporal-cloud.yaml', hashOfChart()],
  ]);
});

describe.each(charts)('the chart with $example', ({ deployments, manifests }) => {
  it('gives every process settings that it starts with', () => {
    for (const deployment of deployments) {
      const config = readConfig(environmentOf(deployment));
      expect(config).toMatchObject({ host: '0.0.0.0', secretKey: 'k1', temporalAddress: expect.any(String) });
      expect(config.blobs).toMatch(/^s3:/);
    }
  });

  it('has workers with all roles that the service needs, and the API is a port of its own to them', () => {
    const workers = deployments.filter((deployment) => kindOf(deployment) === 'worker');
    const roles = workers.flatMap((worker) => readConfig(environmentOf(worker)).workerRoles);
    expect(roles).toEqual(expect.arrayContaining([...REQUIRED_ROLES]));
    for (const worker of workers) expect(environmentOf(worker).WINNOW_OWN_PORTS).toMatch(/^test-winnow:3002/);
  });

  it('asks each process at ports that it listens on, and gives it more time to stop than it takes', () => {
    for (const deployment of deployments) {
      const { ports, startupProbe, livenessProbe, readinessProbe, lifecycle, command } =
        containerOf(deployment);
      const config = readConfig(environmentOf(deployment));
      const own = kindOf(deployment) === 'api' ? config.port : config.workerPort;
      for (const { httpGet } of [startupProbe, livenessProbe, readinessProbe])
        expect(ports.find(({ name }) => name === httpGet.port)?.containerPort).toBe(own);
      expect(livenessProbe.httpGet.path).toBe('/health');
      const pause = lifecycle?.preStop.sleep.seconds ?? 0;
      expect(deployment.spec.template.spec.terminationGracePeriodSeconds - pause).toBeGreaterThan(12);
      expect(command).toEqual(['node', kindOf(deployment) === 'api' ? 'src/server.ts' : 'src/worker.ts']);
    }
  });

  it('runs nothing as root or with privileges, and relaxes only the profiles that sandboxes need', () => {
    for (const deployment of deployments) {
      const { securityContext } = deployment.spec.template.spec;
      expect(securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: 1000 });
      expect(containerOf(deployment).securityContext).toMatchObject({
        allowPrivilegeEscalation: false,
        capabilities: { drop: ['ALL'] },
      });
      const isApi = kindOf(deployment) === 'api';
      expect(securityContext.seccompProfile).toEqual({ type: isApi ? 'RuntimeDefault' : 'Unconfined' });
    }
  });

  it('lets only the API reach browser sessions, and keeps each part up while nodes are emptied', () => {
    const budgets = manifests.filter(({ kind }) => kind === 'PodDisruptionBudget');
    expect(budgets.map(({ metadata }) => metadata.name)).toEqual(
      deployments.map(({ metadata }) => metadata.name),
    );
    const policy = manifests.find(({ metadata }) => metadata.name === 'test-winnow-workers');
    const from = JSON.stringify(policy?.spec?.ingress);
    expect(from).toContain('"app.kubernetes.io/component":"api"');
    expect([...from.matchAll(/"port":"sessions"/g)]).toHaveLength(1);
  });
});
