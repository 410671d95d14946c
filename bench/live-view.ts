import { loadavg } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { DESKTOP_VIEWPORT } from '../src/fetch/browser/device-emulation.ts';
import { FRAME_HEADER_BYTES } from '../src/schemas/live-view.ts';
import { countFrames, type LiveViewFixture, startLiveView } from '../test/support/sessions/live-view.ts';
import { count, counts, readCommandLine } from './command-line.ts';
import { percentile, short, table } from './figures.ts';

const HELP = `Measures the live view of a session whose page changes all the time: frames per second of each viewer and CPU
time of the session's Chromium, with one viewer and with several, all in a second Chromium. Then clicks on a still page,
and measures how long it takes until the frame that shows it arrives. Takes about a minute.
Needs a Chromium.

Usage: node bench/live-view.ts [OPTIONS]

  --viewers N,M,…  numbers of viewers (1,5); none: only clicks
  --seconds N      duration of each measurement (10)
  --clicks N       number of clicks (40)
  --help           print this text
`;

const PAGES = {
  '/moving': `<!doctype html><style>
    @keyframes turn { to { transform: rotate(360deg) } }
    i { position: absolute; right: 20px; top: 20px; width: 40px; height: 40px; border: 4px solid #ccc;
      border-top-color: #06c; border-radius: 50%; animation: turn 1s linear infinite }
  </style><i></i>${'<p>The quick brown fox jumps over the lazy dog. </p>'.repeat(40)}`,
  '/still': `<!doctype html><body style="margin:0"><button style="position:absolute;inset:0;width:100%;height:100%"
    onclick="this.style.background = (on = !on) ? 'rgb(255,0,0)' : 'rgb(0,0,255)'"></button><script>let on = false</script>`,
};
/** Time in which a page becomes still, and viewers get up to speed. */
const SETTLE_MS = 1_500;

const options = readCommandLine(HELP, { viewers: counts([1, 5]), seconds: count(10), clicks: count(40) });
await main(options);

async function main({ viewers: numbers, seconds, clicks }: typeof options): Promise<void> {
  const { width, height } = DESKTOP_VIEWPORT;
  await using session = await startLiveView(PAGES, { flag: `--window-size=${width},${height}` });
  const rows = [];
  await session.goto('/moving');
  for (const viewers of numbers) rows.push(await measureViewers(session, viewers, seconds));
  if (rows.length) process.stdout.write(`${table(rows)}\n\n`);
  await session.goto('/still');
  const load = currentLoad();
  const times = await measureClicks(session, clicks);
  const [median, p90] = [percentile(times, 0.5), percentile(times, 0.9)];
  process.stdout.write(
    `${table([{ clicks, load, 'click to frame, p50 ms': short(median), 'p90 ms': short(p90) }])}\n`,
  );
}

function currentLoad(): string {
  return short(loadavg()[0] ?? 0);
}

async function measureViewers(session: LiveViewFixture, count: number, seconds: number) {
  const viewers = await Promise.all(Array.from({ length: count }, () => session.openViewer('view')));
  await sleep(SETTLE_MS);
  const load = currentLoad();
  const before = await cpuSeconds(session);
  const counts = await Promise.all(viewers.map((viewer) => countFrames(viewer, seconds * 1000)));
  const rates = counts.map((count) => count.frames / count.seconds);
  const cpu = (await cpuSeconds(session)) - before;
  await Promise.all(viewers.map(({ page }) => page.context().close()));
  return {
    viewers: count,
    load,
    'frames/s, slowest viewer': short(Math.min(...rates)),
    'fastest viewer': short(Math.max(...rates)),
    "Chromium's CPU %": short((cpu / seconds) * 100),
  };
}

/** The CPU time of all processes of the session's browser. */
async function cpuSeconds({ connection }: LiveViewFixture): Promise<number> {
  const { processInfo } = await connection.browser.send('SystemInfo.getProcessInfo');
  return processInfo.reduce((sum, { cpuTime }) => sum + cpuTime, 0);
}

/** @returns milliseconds from each click until the next frame */
async function measureClicks({ urls }: LiveViewFixture, clicks: number): Promise<number[]> {
  const socket = new WebSocket(urls.control.replace('http', 'ws'));
  let onFrame: (() => void) | undefined;
  socket.on('message', (data, isBinary) => {
    // The library delivers messages as Buffer unless it is told otherwise.
    const message = data as Buffer;
    if (!isBinary || message.length < FRAME_HEADER_BYTES) return;
    socket.send(JSON.stringify({ type: 'ack', frame: message.readUInt32LE(0) }));
    onFrame?.();
  });
  await new Promise((resolve) => socket.once('open', resolve));
  const mouse = { type: 'mouse', x: 400, y: 300, button: 'left', clickCount: 1, modifiers: 0 };
  const times: number[] = [];
  for (let click = 0; click < clicks; click++) {
    // Any frame of the click before has arrived by then.
    await sleep(500);
    const drawn = new Promise<void>((resolve) => {
      onFrame = resolve;
    });
    const start = performance.now();
    socket.send(JSON.stringify({ ...mouse, action: 'down', buttons: 1 }));
    socket.send(JSON.stringify({ ...mouse, action: 'up', buttons: 0 }));
    await drawn;
    times.push(performance.now() - start);
  }
  socket.close();
  return times;
}
