import { sql } from 'kysely';
import { isJsonObject } from '../src/json/json-object.ts';
import { runningDatabaseUrl } from '../src/run/embedded/postgres.ts';
import { openDatabase } from '../src/storage/db/client.ts';
import { startModelEndpoint } from '../test/support/models/model-endpoint.ts';
import { startService } from '../test/support/service/start-service.ts';
import { startPages } from '../test/support/sites/pages.ts';
import { count, flag, readCommandLine, refuse } from './command-line.ts';
import { percentile, short, table } from './figures.ts';

const HELP = `Measures what a language model adds to a scrape, and how well it extracts the data of shops whose data is known.
Takes as long as the model takes for three requests of each page. Starts the service with data of its own. Needs the variables
WINNOW_LLM_BASE_URL and WINNOW_LLM_MODEL, as the service does, unless --scripted is given.

Usage: node bench/models.ts [OPTIONS]

  --pages N    shops to extract data from, and scrapes of each kind for the duration (40)
  --scripted   measure the duration only, in half a minute, with an endpoint of its own that responds at once
  --help       print this text
`;

const { pages, scripted: isScripted } = readCommandLine(HELP, { pages: count(40), scripted: flag() });
if (!isScripted && !(process.env.WINNOW_LLM_BASE_URL && process.env.WINNOW_LLM_MODEL))
  refuse('WINNOW_LLM_BASE_URL and WINNOW_LLM_MODEL are not set, and there is no --scripted');

const SCHEMA = {
  type: 'object',
  properties: {
    name: { type: 'string' },
    brand: { type: 'string' },
    price: { type: 'number' },
    currency: { type: 'string', description: 'ISO 4217 code' },
    inStock: { type: 'boolean' },
    weightGrams: { type: 'number' },
  },
  required: ['name', 'price'],
};

/** The data of a shop page. */
type Truth = Record<'name' | 'brand' | 'price' | 'currency' | 'inStock' | 'weightGrams', unknown>;

const BRANDS = ['Almhof', 'Brisk', 'Corva', 'Duna', 'Ekstrand'];
const THINGS = ['Desk Lamp', 'Kettle', 'Hiking Boot', 'Notebook', 'Chef Knife', 'Wool Blanket', 'Bike Bell'];
const CURRENCIES = [
  ['EUR', '€'],
  ['USD', '$'],
  ['GBP', '£'],
] as const;

/** Makes a shop page without structured data, with other products around its own, and what it says. */
function makeShop(index: number): { html: string; truth: Truth } {
  const brand = BRANDS[index % BRANDS.length]!;
  const name = `${brand} ${THINGS[index % THINGS.length]} ${100 + index}`;
  const [currency, sign] = CURRENCIES[index % CURRENCIES.length]!;
  const price = 9.5 + index * 3;
  const inStock = index % 3 !== 0;
  const weightGrams = 150 + index * 25;
  const weight = index % 2 ? `${weightGrams} g` : `${weightGrams / 1000} kg`;
  const availability = inStock ? 'Ships tomorrow, on stock' : 'Sold out, back next month';
  const others = [1, 2, 3].map(
    (other) =>
      `<li>${BRANDS[(index + other) % 5]} ${THINGS[(index + other) % 7]}, ${sign}${(price * other).toFixed(2)}</li>`,
  );
  const layouts = [
    `<h1>${name}</h1><p>Now only <b>${sign}${price.toFixed(2)}</b> instead of ${sign}${(price * 1.4).toFixed(2)}.</p><p>${availability}.</p><p>Made by ${brand}. It weighs ${weight}.</p>`,
    `<h1>${name}</h1><table><tr><td>Our price<td>${price.toFixed(2)} ${currency}<tr><td>Manufacturer<td>${brand}<tr><td>Shipping weight<td>${weight}<tr><td>Status<td>${availability}</table>`,
    `<h1>${name}</h1><p>${brand} has made this one since 1970, and at ${weight} it is lighter than the last one. ${availability}. You pay ${sign}${price.toFixed(2)} including tax.</p>`,
  ];
  const html = `<html lang="en"><title>${name} | Shop</title><main>${layouts[index % 3]}<h2>Others also bought</h2><ul>${others.join('')}</ul></main>`;
  return { html, truth: { name, brand, price, currency, inStock, weightGrams } };
}

/** Counts the values of a result that are right. */
function countRight(found: unknown, truth: Truth): number {
  if (!isJsonObject(found)) return 0;
  const same = (one: unknown, other: unknown) =>
    String(one).trim().toLowerCase() === String(other).toLowerCase();
  return Object.entries(truth).filter(([name, value]) => same(found[name], value)).length;
}

const shops = Array.from({ length: pages }, (_, index) => makeShop(index));
await using site = await startPages(Object.fromEntries(shops.map(({ html }, index) => [`/${index}`, html])));
await using endpoint = await startModelEndpoint(['scripted']);
endpoint.reply(() => 'A thing that is sold in a shop.');
const service = await startService({
  env: isScripted ? { WINNOW_LLM_BASE_URL: endpoint.url, WINNOW_LLM_MODEL: 'scripted' } : {},
});
const db = openDatabase(runningDatabaseUrl(service.dataDir), () => undefined);

/** Scrapes a shop. @returns the document and the milliseconds that it took */
async function scrape(index: number, formats: unknown[]) {
  const startedAt = performance.now();
  const response = await fetch(`${service.url}/v2/scrape`, {
    method: 'POST',
    headers: { authorization: `Bearer ${service.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      url: `${site.url}/${index}`,
      formats,
      maxAge: 0,
      fastMode: true,
      timeout: 300_000,
    }),
  });
  // The service describes its responses in its API reference.
  const { data } = (await response.json()) as { data: Record<string, unknown> };
  return { data, ms: performance.now() - startedAt };
}

/** The median time and the tokens of the calls that one feature made. */
async function callsOf(feature: string) {
  const { rows } = await sql<{ ms: number; tokens: number }>`
    select ms, prompt_tokens + output_tokens as tokens from model_calls where feature = ${feature}`.execute(
    db.query,
  );
  return { ms: rows.map(({ ms }) => ms), tokens: rows.reduce((sum, { tokens }) => sum + tokens, 0) };
}

const plain: number[] = [];
const withModel: number[] = [];
for (let index = -3; index < pages; index++) {
  const shop = Math.abs(index) % pages;
  const [one, other] = [await scrape(shop, ['markdown']), await scrape(shop, ['markdown', 'summary'])];
  if (index < 0) continue;
  plain.push(one.ms);
  withModel.push(other.ms);
}
const { ms: callMs } = await callsOf('summary');
const [p50Plain = 0, p50Model = 0, p50Call = 0] = [plain, withModel, callMs].map((each) =>
  percentile(each, 0.5),
);
process.stdout.write(
  `${table([
    {
      'scrape p50 ms': short(p50Plain),
      'with summary p50 ms': short(p50Model),
      'endpoint p50 ms': short(p50Call),
      'added by Winnow ms': short(p50Model - p50Plain - p50Call),
    },
  ])}\n`,
);

if (!isScripted) {
  const rows = [];
  for (const type of ['json', 'deterministicJson']) {
    let right = 0;
    const times: number[] = [];
    for (const [index, { truth }] of shops.entries()) {
      const { data, ms } = await scrape(index, [{ type, schema: SCHEMA }]);
      right += countRight(data?.json, truth);
      times.push(ms);
    }
    const { tokens } = await callsOf(type);
    const share = (100 * right) / (pages * Object.keys(SCHEMA.properties).length);
    rows.push({
      format: type,
      'right values %': short(share),
      'tokens per page': short(tokens / pages),
      'seconds per page': (percentile(times, 0.5) / 1000).toFixed(2),
    });
  }
  process.stdout.write(`${table(rows)}\n`);
}
await db.close();
await service.stop();
