import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseDockerfile, stagesOf } from '../../bench/container/dockerfile.ts';
import { describeSettings, readConfig } from '../../src/config.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const read = (name: string) => readFile(join(ROOT, name), 'utf8');
const settings = new Set(describeSettings().map(({ variable }) => variable));
const stages = parseDockerfile(await read('Dockerfile'));

/** The texts of one kind of instruction, of a stage and those that it builds on. */
const textsOf = (instruction: string) =>
  stagesOf(stages, 'everything')
    .flatMap(({ steps }) => steps)
    .filter((step) => step.instruction === instruction)
    .map(({ text }) => text);

describe('the container with everything', () => {
  it('serves other machines on the port of -p 3002:3002, as a user, with its data in one volume', () => {
    const variables = textsOf('ENV').flatMap((text) => [...text.matchAll(/(\w+)=(\S+)/g)]);
    const config = readConfig(Object.fromEntries(variables.map(([, name, value]) => [name, value])));
    expect(config).toMatchObject({ host: '0.0.0.0', port: 3002, dataDir: textsOf('VOLUME').join() });
    expect(config.cacheDir.startsWith(`${config.dataDir}/`)).toBe(false);
    expect(textsOf('EXPOSE')).toEqual([String(config.port)]);
    expect(textsOf('USER').at(-1)).toBe('node');
    expect(textsOf('HEALTHCHECK').join()).toContain('/ready');
    expect(textsOf('CMD').map((text) => JSON.parse(text))).toEqual([['node', 'bin/winnow.js']]);
  });

  it('holds all that the npm package runs', async () => {
    const copied = textsOf('COPY').flatMap((text) =>
      text.split(' ').filter((word) => !word.startsWith('--')),
    );
    const packed = /PROGRAM = \[([^\]]*)\]/.exec(await read('scripts/package.ts'))?.[1] ?? '';
    const names = [...packed.matchAll(/'([^']+)'/g)].map(([, name]) => name);
    expect(names.length).toBeGreaterThan(4);
    expect(copied).toEqual(expect.arrayContaining(names));
  });

  it('is not what is built without a target, which is the cluster', () => {
    expect(stages.at(-1)?.name).toBeUndefined();
    expect(stages.at(-1)?.steps.at(-1)).toEqual({ instruction: 'CMD', text: '["node", "src/server.ts"]' });
  });
});

describe('the systemd unit', () => {
  it('starts the command of the npm package, with settings that exist and directories that it may write', async () => {
    const unit = await read('deploy/systemd/winnow.service');
    const { bin } = JSON.parse(await read('package.json'));
    expect(Object.keys(bin)).toContain(/^ExecStart=\/usr\/bin\/env (\w+) up$/m.exec(unit)?.[1]);
    const given = [...unit.matchAll(/\b(WINNOW_\w+)=(\S+)/g)];
    expect(given.map(([, name]) => name).filter((name) => !settings.has(name ?? ''))).toEqual([]);
    const { dataDir, cacheDir } = readConfig(
      Object.fromEntries(given.map(([, name, value]) => [name, value])),
    );
    expect([dataDir, cacheDir]).toEqual([
      `/var/lib/${/^StateDirectory=(\S+)$/m.exec(unit)?.[1]}`,
      `/var/cache/${/^CacheDirectory=(\S+)$/m.exec(unit)?.[1]}`,
    ]);
  });
});
