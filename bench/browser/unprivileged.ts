import { chmod, chown, mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';

/** A user id that belongs to no account. */
const UID = 61_912;

/**
 * Writes a program that starts Chromium as an unprivileged user, because Chromium cannot use its sandbox as
 * root. It is for peers that start Chromium by a path. Each start has a profile of its own.
 * @param directory an empty directory, which the caller removes
 * @returns the path of the program
 */
export async function unprivileged(directory: string, executablePath: string): Promise<string> {
  const profiles = path.join(directory, 'profiles');
  const program = path.join(directory, 'chromium');
  const isRoot = process.getuid?.() === 0;
  const shed = isRoot ? `setpriv --reuid=${UID} --regid=${UID} --clear-groups --inh-caps=-all ` : '';
  const lines = [
    '#!/bin/sh',
    `export HOME="$(${shed}mktemp -d '${profiles}/XXXXXX')"`,
    'export TMPDIR="$HOME"',
    `exec ${shed}'${executablePath}' "$@" --user-data-dir="$HOME"`,
  ];
  await mkdir(profiles);
  await writeFile(program, `${lines.join('\n')}\n`);
  for (const file of [directory, program]) await chmod(file, 0o755);
  if (isRoot) await chown(profiles, UID, UID);
  return program;
}
