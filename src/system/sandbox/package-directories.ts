import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fieldsOf } from '../../json/json-object.ts';

/**
 * Finds the directories of npm packages and of everything that they depend on, as Node finds them: in the
 * nearest `node_modules` above the one that needs them. Optional dependencies for other platforms are not
 * installed, so they are left out. Types have no code and are left out too.
 * @param names the packages
 * @param from the directory whose code imports them
 * @throws Error if one of the packages is not installed
 */
export function packageDirectories(names: readonly string[], from: string): string[] {
  const found = new Set<string>();
  for (const name of names) {
    const directory = findPackage(name, from);
    if (!directory) throw new Error(`the package ${name} is not installed`);
    addWithDependencies(directory, found);
  }
  // A package inside the directory of another one is reached through that.
  return [...found].filter((path) => !parentsOf(path).some((parent) => found.has(parent)));
}

function addWithDependencies(directory: string, found: Set<string>): void {
  if (found.has(directory)) return;
  found.add(directory);
  const manifest = fieldsOf(JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8')));
  const { dependencies, optionalDependencies, peerDependencies } = manifest;
  for (const names of [dependencies, optionalDependencies, peerDependencies])
    for (const name of Object.keys(fieldsOf(names))) {
      const dependency = name.startsWith('@types/') ? undefined : findPackage(name, directory);
      if (dependency) addWithDependencies(dependency, found);
    }
}

/** The directory of a package as seen from a directory, `undefined` if it is not installed. */
const findPackage = (name: string, from: string): string | undefined =>
  [from, ...parentsOf(from)]
    .map((directory) => join(directory, 'node_modules', name))
    .find((directory) => existsSync(join(directory, 'package.json')));

/** The directories above a path, the nearest first. */
function parentsOf(path: string): string[] {
  const parents: string[] = [];
  for (let parent = dirname(path); parents.at(-1) !== parent; parent = dirname(parent)) parents.push(parent);
  return parents;
}
