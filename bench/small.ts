import { messageOf } from '../src/errors.ts';
import { choices, count, readCommandLine, refuse } from './command-line.ts';
import { startSiteProcess } from './crawl/programs.ts';
import { startMeasuredService } from './crawl/service.ts';
import { short, table } from './figures.ts';
import { loadDocuments, loadPages } from './small/loads.ts';
import { createMemoryGroup, type MemoryGroup } from './small/memory-group.ts';
import { watchMemory } from './small/memory-watch.ts';

const HELP = `Runs the service in a memory cgroup, as in a small container, and loads it: a batch of pages together with pages that
scripts draw (12 clients) and four browser sessions; and documents that are uploaded at once, one of them a PDF of 1,158 pages.
Prints what failed, the most memory, which processes had it, and how many of them the kernel ended. Takes some minutes. Starts the service with data of
its own, as root on Linux, and needs a Chromium.

Usage: node bench/small.ts [OPTIONS]

  --memory MB    memory of the container (2048)
  --loads NAMES  pages, documents or both, one after the other (pages,documents), or both at once (together)
  --pages N      pages of the batch (1000)
  --scripts N    pages that scripts draw (150)
  --files N      documents (10)
  --help         print this text
`;

const options = readCommandLine(HELP, {
  memory: count(2048),
  loads: choices(['pages', 'documents', 'together'] as const, ['pages', 'documents'] as const),
  pages: count(1000),
  scripts: count(150),
  files: count(10),
});

function openGroup(): MemoryGroup {
  try {
    return createMemoryGroup(options.memory);
  } catch (error) {
    refuse(`no memory cgroup of ${options.memory} MiB could be created: ${messageOf(error)}`);
  }
}

const group = openGroup();
const site = await startSiteProcess();
const { instance, roots } = await startMeasuredService({
  within: group.within,
  env: { WINNOW_REQUESTS_PER_HOST: '16' },
});
try {
  const loads: Record<(typeof options.loads)[number], () => Promise<string[]>> = {
    pages: () => loadPages(instance, { siteUrl: site.url, pages: options.pages, scripts: options.scripts }),
    documents: () => loadDocuments(instance, options.files),
    together: async () => (await Promise.all([loads.pages(), loads.documents()])).flat(),
  };
  const rows = [];
  for (const name of options.loads) {
    const watch = watchMemory(group, roots);
    const failures = await loads[name]();
    watch.stop();
    console.log(`${name}, MB (PSS) by process when it was most:\n`);
    console.log(
      table(watch.largest().map(({ memoryMb, ...row }) => ({ ...row, 'memory, MB': short(memoryMb) }))),
    );
    const { peakMb, kills } = group.measure();
    for (const failure of failures) console.error(`${name}: ${failure}`);
    rows.push({
      load: name,
      failed: failures.length,
      'most memory, MB': short(peakMb),
      'processes ended': kills,
    });
    if (failures.length > 0) process.exitCode = 1;
  }
  console.log(`\nIn ${options.memory} MB:\n`);
  console.log(table(rows));
} finally {
  await instance.stop();
  site.stop();
  group.remove();
}
