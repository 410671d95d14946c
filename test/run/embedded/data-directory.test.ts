import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { createDataDirectory, protectDataDirectory } from '../../../src/run/embedded/data-directory.ts';
import { useService } from '../../support/service/use-service.ts';

const isRoot = process.getuid?.() === 0;
/** Users without an account: of Postgres, and somebody else on the machine. */
const POSTGRES = { uid: 61_801, gid: 61_801 };
const OTHER = { uid: 61_802, gid: 61_802 };

const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);
const read = (path: string, user: { uid: number; gid: number }) =>
  execFileSync('cat', [path], { ...user, stdio: ['ignore', 'pipe', 'ignore'] }).toString();

describe('a data directory', () => {
  let dataDir: string;
  beforeEach(() => {
    dataDir = mkdtempSync(join(tmpdir(), 'winnow-data-'));
    chmodSync(dataDir, 0o755);
    writeFileSync(join(dataDir, 'file'), 'found');
  });
  afterEach(() => rmSync(dataDir, { recursive: true }));

  it('that others could enter is closed to them', () => {
    protectDataDirectory(dataDir);
    expect(modeOf(dataDir)).toBe('700');
  });

  it.runIf(isRoot)('lets the user of Postgres pass through, but not list it, and nobody else', () => {
    expect(read(join(dataDir, 'file'), OTHER)).toBe('found');
    protectDataDirectory(dataDir, POSTGRES);
    expect(read(join(dataDir, 'file'), POSTGRES)).toBe('found');
    expect(() => execFileSync('ls', [dataDir], { ...POSTGRES, stdio: 'ignore' })).toThrow();
    expect(() => read(join(dataDir, 'file'), OTHER)).toThrow();
    expect(() => execFileSync('ls', [dataDir], { ...OTHER, stdio: 'ignore' })).toThrow();
  });

  it.runIf(isRoot)('that root starts on stays that of its owner, and Postgres may pass through', () => {
    chownSync(dataDir, OTHER.uid, OTHER.gid);
    protectDataDirectory(dataDir, POSTGRES);
    expect(read(join(dataDir, 'file'), POSTGRES)).toBe('found');
    expect(statSync(dataDir)).toMatchObject({ uid: OTHER.uid, gid: POSTGRES.gid });
    expect(execFileSync('ls', [dataDir], OTHER).toString()).toBe('file\n');
  });

  it.runIf(isRoot)('of the user that Postgres runs as is open to nobody else', () => {
    chownSync(dataDir, POSTGRES.uid, POSTGRES.gid);
    protectDataDirectory(dataDir, POSTGRES);
    expect(statSync(dataDir).uid).toBe(POSTGRES.uid);
    expect(modeOf(dataDir)).toBe('700');
  });
});

describe('a data directory below directories that do not exist', () => {
  it.runIf(isRoot)('is created so that the user of Postgres can reach it', () => {
    const above = mkdtempSync(join(tmpdir(), 'winnow-data-'));
    chmodSync(above, 0o755);
    onTestFinished(() => rmSync(above, { recursive: true }));
    const dataDir = join(above, 'one', 'two');
    createDataDirectory(dataDir);
    expect(modeOf(dataDir)).toBe('700');
    writeFileSync(join(dataDir, 'file'), 'found');
    protectDataDirectory(dataDir, POSTGRES);
    expect(read(join(dataDir, 'file'), POSTGRES)).toBe('found');
  });
});

describe('the data of a running service', () => {
  const service = useService();
  const path = (name: string) => join(service.dataDir, name);

  it('cannot be entered by other users of the machine, whatever the mode of the directory was', () => {
    expect(statSync(service.dataDir).mode & 0o067).toBe(0);
    if (!isRoot) return;
    for (const name of ['run.json', 'temporal.db', 'logs/api.log'])
      expect(() => read(path(name), OTHER), name).toThrow();
  });

  it('has nothing that others could read if the directory were open, except for programs', () => {
    const data = readdirSync(service.dataDir).filter((name) => !name.includes('programs'));
    const closed = data.filter((name) => (statSync(path(name)).mode & 0o007) === 0);
    expect(closed).toEqual(data);
    expect(closed).toEqual(expect.arrayContaining(['temporal.db', 'run.json', 'logs', 'postgres']));
    expect(modeOf(path('temporal.db'))).toBe('600');
  });
});
