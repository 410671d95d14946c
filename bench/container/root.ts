import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir } from 'node:fs/promises';
import { basename, dirname, join, posix } from 'node:path';
import { inheritedEnvironment } from '../../src/config.ts';
import type { Step } from './dockerfile.ts';

/** Mounts what containers have, and runs a command in the root; the mounts and the processes end with it. */
const ENTER = `
  mount --make-rprivate / && mount -t proc proc "$ROOT/proc" && mount --rbind /dev "$ROOT/dev" &&
  mount -t tmpfs tmpfs "$ROOT/tmp" && chmod 1777 "$ROOT/tmp" &&
  exec chroot --userspec="$WHO" "$ROOT" /usr/bin/env -i -C "$DIR" "$@"`;

/** A root file system in which the steps of a Dockerfile run. */
export class Root {
  readonly #variables = new Map([
    ['PATH', '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'],
    ['HOME', '/root'],
  ]);
  #user = 'root';
  #directory = '/';
  #command: string[] = [];
  #check: string[] = [];
  readonly volumes: string[] = [];
  readonly path: string;
  readonly #context: string;

  /**
   * @param path its directory, which is changed
   * @param context the directory that COPY copies from
   */
  constructor(path: string, context: string, passed: Record<string, string>) {
    this.path = path;
    this.#context = context;
    for (const [name, value] of Object.entries(passed)) this.#variables.set(name, value);
  }

  /** Carries out a step. @throws Error when its command fails, or the step is of an unknown kind */
  async apply({ instruction, text }: Step): Promise<void> {
    if (instruction === 'ENV') this.#setVariables(text);
    else if (instruction === 'WORKDIR') await this.#enterDirectory(text);
    else if (instruction === 'USER') this.#become(text);
    else if (instruction === 'COPY') await this.#copy(text);
    else if (instruction === 'RUN') await this.#run(['/bin/sh', '-c', text]);
    else if (instruction === 'CMD') this.#command = JSON.parse(text);
    else if (instruction === 'HEALTHCHECK') this.#check = JSON.parse(text.slice(text.indexOf('CMD ') + 4));
    else if (instruction === 'VOLUME') this.volumes.push(text);
    else if (instruction !== 'EXPOSE') throw new Error(`${instruction} ${text} is no step that this can do.`);
  }

  /** Starts the command of the image. @param settings further environment variables */
  start(settings: Record<string, string>): ChildProcess {
    return this.#enter(this.#command, settings);
  }

  /** Whether the health check of the image succeeds. */
  async isHealthy(settings: Record<string, string>): Promise<boolean> {
    const [code] = await once(this.#enter(this.#check, settings), 'close');
    return code === 0;
  }

  #setVariables(text: string): void {
    for (const [, name = '', value = ''] of text.matchAll(/(\w+)=(\S+)/g)) this.#variables.set(name, value);
  }

  async #enterDirectory(text: string): Promise<void> {
    this.#directory = posix.resolve(this.#directory, text);
    await mkdir(join(this.path, this.#directory), { recursive: true });
  }

  #become(user: string): void {
    this.#user = user;
    this.#variables.set('HOME', user === 'root' ? '/root' : `/home/${user}`);
  }

  async #copy(text: string): Promise<void> {
    const words = text.split(/\s+/).filter((word) => !word.startsWith('--'));
    const target = words.pop() ?? '';
    const directory = posix.resolve(this.#directory, target);
    for (const name of words) {
      const place = target.endsWith('/') ? posix.join(directory, basename(name)) : directory;
      await mkdir(dirname(join(this.path, place)), { recursive: true });
      await cp(join(this.#context, name), join(this.path, place), { recursive: true });
      const owner = /--chown=(\S+)/.exec(text)?.[1];
      if (owner) await this.#runAs('root', ['chown', '-R', owner, place]);
    }
  }

  #run(command: string[]): Promise<void> {
    return this.#runAs(this.#user, command);
  }

  async #runAs(user: string, command: string[]): Promise<void> {
    const [code] = await once(this.#enter(command, {}, user), 'close');
    if (code !== 0) throw new Error(`${command.join(' ')} has failed (${code}).`);
  }

  #enter(command: string[], settings: Record<string, string>, user = this.#user): ChildProcess {
    const variables = { ...Object.fromEntries(this.#variables), ...settings };
    const words = Object.entries(variables).map(([name, value]) => `${name}=${value}`);
    const namespaces = ['--mount', '--pid', '--fork', '--kill-child'];
    return spawn('unshare', [...namespaces, '/bin/sh', '-c', ENTER, 'enter', ...words, ...command], {
      stdio: ['ignore', 'inherit', 'inherit'],
      env: inheritedEnvironment({ ROOT: this.path, DIR: this.#directory, WHO: `${user}:${user}` }),
    });
  }
}
