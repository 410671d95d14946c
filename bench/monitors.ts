import { count, directory, readCommandLine, refuse } from './command-line.ts';
import { measureChanges } from './monitors/changes.ts';
import { measureDue } from './monitors/due.ts';
import { measureRest } from './monitors/rest.ts';
import { measureUnchanged } from './monitors/unchanged.ts';

const HELP = `Measures monitors. One of these options says what:

  --kit DIR       which changes they find: plants changes (a price, a sentence, a new item) and noise (counters, relative times,
                  dates, advertisements, recommendations in another order, tokens in links) in real pages of the quality
                  kit, and counts the changes that a monitor finds and its false alarms. Takes about a minute
  --due N         whether N monitors that are due in the same minute are checked within it and the next, and how long
                  interactive scrapes take meanwhile. Takes about eight minutes
  --rest N        what N monitors cost that are not due: CPU time and memory of the service without and with them.
                  Takes about ten minutes with 10,000
  --unchanged N   what checks of N unchanged pages cost, compared with scrapes of the same pages. Takes about two minutes

All but the first start the service with data of its own, on Linux.

Usage: node bench/monitors.ts OPTION [OPTIONS]

  --pages N       number of pages of --kit; default 100
  --seed N        chooses the pages of --kit; default 1
  --help          print this text
`;

const { kit, pages, seed, due, rest, unchanged } = readCommandLine(HELP, {
  kit: directory(),
  pages: count(100),
  seed: count(1),
  due: count(undefined),
  rest: count(undefined),
  unchanged: count(undefined),
});

const chosen = [
  kit !== undefined && (() => measureChanges({ kit, pages, seed })),
  due !== undefined && (() => measureDue(due)),
  rest !== undefined && (() => measureRest(rest)),
  unchanged !== undefined && (() => measureUnchanged(unchanged)),
].filter((work) => work !== false);
const [work, another] = chosen;
if (!work || another) refuse('exactly one of --kit, --due, --rest and --unchanged says what is measured');
await work();
