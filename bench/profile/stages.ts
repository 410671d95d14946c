import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** A frame of V8's CPU profile. */
interface ProfileNode {
  id: number;
  callFrame: { functionName: string; url: string };
  children?: number[];
}

interface Profile {
  nodes: ProfileNode[];
  samples?: number[];
}

/** Stages by the file of a frame. The first row that fits applies. */
type Rules = [stage: string, file: RegExp][];

/** Our own files. The innermost frame that is one of them decides, so libraries count for what calls them. */
export const OWN: Rules = [
  ['parse', /\/src\/content\/html\/parse\//],
  ['main content', /\/src\/content\/html\/main-content\//],
  ['markdown', /\/src\/content\/html\/markdown\//],
  ['other HTML', /\/src\/content\/html\/(?!meta-refresh|media\/page-media)/],
  ['index entry for search', /\/src\/content\/indexing\//],
  ['judge the page', /\/src\/(?:fetch\/engines\/page-checks\/|content\/html\/)/],
  ['decode', /\/src\/(?:content\/parsers\/|fetch\/engines\/read-body)/],
  ['cached copy', /\/src\/fetch\/engines\/page-cache/],
  ['fetch', /\/src\/fetch\//],
  ['compression, hash, files', /\/src\/storage\/blobs\//],
  ['Postgres client', /\/src\/storage\/db\//],
  ['document', /\/src\/(?:jobs\/scraping|content\/formats|schemas)\//],
  ['hand-over to threads', /\/src\/content\/rendering\//],
  ['page worker', /\/src\/(?:jobs\/page-jobs|activities|jobs\/crawl|system\/encryption)\//],
  ['API', /\/src\/api\//],
];

/** Libraries and Node itself, for what none of our files calls, such as callbacks of sockets. */
const LIBRARIES: Rules = [
  ['fetch', /undici/],
  ['Postgres client', /node_modules\/(?:pg|kysely|postgres-)/],
  ['Temporal client', /node_modules\/(?:@temporalio|protobufjs|long)/],
  ['hand-over to threads', /piscina|node:internal\/(?:worker|per_context\/messageport)/],
  ['sockets and streams', /node:(?:net|internal\/(?:stream|streams|js_stream))/],
  ['compression, hash, files', /node:(?:zlib|fs|internal\/fs)/],
];

/** Frames that V8 makes itself. `(program)` is native code without JavaScript, such as reading sockets. */
const BY_NAME = new Map([
  ['(garbage collector)', 'garbage collection'],
  ['(program)', 'native code'],
]);

/** Counts the samples of each stage in profiles. Idle time does not count. */
function countSamples(profiles: Profile[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { nodes, samples = [] } of profiles) {
    const byId = new Map(nodes.map((node) => [node.id, node]));
    const parents = new Map(nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id])));
    const stages = new Map(nodes.map(({ id }) => [id, stageOf(listStack(id, byId, parents))]));
    for (const id of samples) {
      const stage = stages.get(id);
      if (stage) counts.set(stage, (counts.get(stage) ?? 0) + 1);
    }
  }
  return counts;
}

/** The frames from the innermost one outwards. */
function listStack(id: number, byId: Map<number, ProfileNode>, parents: Map<number, number>): ProfileNode[] {
  const stack: ProfileNode[] = [];
  for (let at: number | undefined = id; at !== undefined; at = parents.get(at)) {
    const node = byId.get(at);
    if (node) stack.push(node);
  }
  return stack;
}

function stageOf(stack: ProfileNode[]): string | undefined {
  const name = stack[0]?.callFrame.functionName ?? '';
  if (name === '(idle)') return undefined;
  const named = BY_NAME.get(name);
  if (named !== undefined) return named;
  for (const rules of [OWN, LIBRARIES]) {
    for (const { callFrame } of stack) {
      const rule = rules.find(([, file]) => file.test(callFrame.url));
      if (rule) return rule[0];
    }
  }
  return 'other';
}

/**
 * Reads the profiles of the threads of one name of a process, and shares out their measured CPU time among
 * stages.
 * @param thread.name the first 15 characters of the name, which is what Linux knows
 * @param thread.cpuMs CPU time of these threads
 * @returns milliseconds by stage
 */
export function shareOut(
  directory: string,
  { pid, name, cpuMs }: { pid: number; name: string; cpuMs: number },
): Map<string, number> {
  const files = readdirSync(directory).filter(
    (file) => file.startsWith(`${pid}-${name}`) && file.endsWith('.cpuprofile'),
  );
  // The file was written by `thread-profiler.ts`.
  const read = (file: string) => JSON.parse(readFileSync(path.join(directory, file), 'utf8')) as Profile;
  const counts = countSamples(files.map(read));
  const total = counts.values().reduce((sum, count) => sum + count, 0);
  return new Map([...counts].map(([stage, count]) => [stage, (count / total) * cpuMs]));
}
