import { spawn } from 'node:child_process';
import { availableParallelism, loadavg } from 'node:os';
import { runningDatabaseUrl } from '../src/run/embedded/postgres.ts';
import { openDatabase } from '../src/storage/db/client.ts';
import { generateKey } from '../src/storage/db/teams/generate-key.ts';
import { addKey, createTeam } from '../src/storage/db/teams/teams.ts';
import { startService } from '../test/support/service/start-service.ts';
import type { TeamAccess } from './attacks/attacker.ts';
import { ATTACKS } from './attacks/index.ts';
import { type Outcome, runAttacks, startSites } from './attacks/run-attack.ts';
import type { Scrapes } from './attacks/steady-scrapes.ts';
import { checkOut } from './checkout.ts';
import { choices, count, flag, readCommandLine, text } from './command-line.ts';
import { percentile, short, table } from './figures.ts';
import { runInterruptible } from './interrupt.ts';

const NAMES = ATTACKS.map(({ name }) => name);

const HELP = `Attacks a service of its own: one team uses each endpoint as badly as the limits allow, one attack after the
other, while another team scrapes two pages a second. Prints what the other team saw alone and meanwhile, what the attacker
got, which processes of the service ended, and its most memory (PSS), and how many attempts to reach what is not the
attacker's held. Exits with 1 if the other team lost a response or got an
error, a process ended, or a response to the attacker was not that of a service in order.
Takes a minute for each attack. Needs a Chromium; attackers connect to loopback only.
Attacks:
${ATTACKS.map(({ name, aim }) => `  ${name.padEnd(11)} ${aim}`).join('\n')}

Usage: node bench/attacks.ts [OPTIONS]

  --seconds N       duration of each attack (60)
  --attacks A,B,…   only these attacks (all)
  --control         first measure the other team beside programs that only compute, one on each core, instead of an attack:
                    what a machine without a free core does to a scrape by itself
  --base COMMIT     attack the service of this commit, checked out beside the working tree, in place of that of the working tree
  --help            print this text
`;

const options = readCommandLine(HELP, {
  seconds: count(60),
  attacks: choices(NAMES, NAMES),
  control: flag(),
  base: text(undefined),
});

/** A service with two teams and a function that makes a third and so on. */
async function startAttacked(root: string | undefined) {
  const service = await startService({ ...(root !== undefined && { root }), env: { LOG_LEVEL: 'warn' } });
  const db = openDatabase(runningDatabaseUrl(service.dataDir), () => undefined);
  const makeTeam = async (name: string): Promise<TeamAccess> => {
    const key = generateKey();
    await addKey(db, await createTeam(db, name, null), 'bench', key);
    return { url: service.url, key };
  };
  const stop = async () => {
    await db.close();
    await service.stop();
  };
  return { service, makeTeam, stop };
}

/** A service that asks for no key, as another one on the same machine. */
async function startOpen(root: string | undefined) {
  const env = { LOG_LEVEL: 'warn', WINNOW_AUTH: 'off' };
  const service = await startService({ ...(root !== undefined && { root }), env });
  return { url: service.url, [Symbol.asyncDispose]: () => service.stop() };
}

const p = (scrapes: Scrapes, share: number) => percentile(scrapes.times, share);

function rowOf(name: string, { alone, outcome }: { alone: Scrapes; outcome: Outcome }) {
  const { meanwhile, statuses, ended, peakMb, strange, attempts } = outcome;
  return {
    attack: name,
    'alone, p50 ms': short(p(alone, 0.5)),
    'p95 ms': short(p(alone, 0.95)),
    'meanwhile, p50 ms': short(p(meanwhile, 0.5)),
    'its p95 ms': short(p(meanwhile, 0.95)),
    'p95 ÷ p95': (p(meanwhile, 0.95) / p(alone, 0.95)).toFixed(2),
    errors: meanwhile.errors.length - meanwhile.lost,
    lost: meanwhile.lost,
    'processes that ended': ended.join(' ') || 'none',
    'memory, MB': short(peakMb),
    'responses to the attacker': [...statuses].map(([status, times]) => `${times} × ${status}`).join(', '),
    held: attempts.all === 0 ? '' : `${attempts.held} of ${attempts.all}`,
    strange: strange.length,
  };
}

/** Runs something beside programs that only compute, one on each core. */
async function besideComputation<Result>(run: () => Promise<Result>): Promise<Result> {
  const programs = Array.from({ length: availableParallelism() }, () =>
    spawn(process.execPath, ['--eval', 'for (;;);'], { stdio: 'ignore' }),
  );
  try {
    return await run();
  } finally {
    for (const program of programs) program.kill('SIGKILL');
  }
}

async function main(
  { seconds, attacks: names, base, control }: typeof options,
  interrupt: AbortSignal,
): Promise<void> {
  const tree = base === undefined ? undefined : await checkOut(base);
  const attacked = await startAttacked(tree?.directory);
  try {
    await using sites = await startSites();
    const other = await attacked.makeTeam('other');
    const measure = (duration: number) => sites.scrapeSteadily(other, AbortSignal.timeout(duration * 1000));
    await measure(Math.min(seconds, 10));
    if (control) {
      const alone = await measure(seconds);
      const beside = await besideComputation(() => measure(seconds));
      const row = (name: string, scrapes: Scrapes) => ({
        '': name,
        'p50, ms': short(p(scrapes, 0.5)),
        'p95, ms': short(p(scrapes, 0.95)),
      });
      process.stdout.write(`${table([row('alone', alone), row('beside computation', beside)])}\n\n`);
    }
    for (const attack of ATTACKS.filter(({ name }) => names.includes(name))) {
      interrupt.throwIfAborted();
      const alone = await measure(seconds);
      const { service } = attacked;
      const makeTeam = () => attacked.makeTeam(attack.name);
      await using open = attack.needsOpenService ? await startOpen(tree?.directory) : undefined;
      const openUrl = open?.url;
      const outcome = await runAttacks([attack], {
        service,
        makeTeam,
        other,
        sites,
        openUrl,
        seconds,
      });
      const load = short(loadavg()[0] ?? 0);
      process.stdout.write(`load ${load}\n${table([rowOf(attack.name, { alone, outcome })])}\n`);
      const problems = [...outcome.strange, ...outcome.meanwhile.errors];
      for (const problem of new Set(problems)) process.stdout.write(`- ${problem}\n`);
      process.stdout.write('\n');
      if (problems.length || outcome.ended.length) process.exitCode = 1;
    }
  } finally {
    await attacked.stop();
    await tree?.remove();
  }
}

await runInterruptible((interrupt) => main(options, interrupt));
