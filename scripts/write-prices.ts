import { readFileSync, writeFileSync } from 'node:fs';
import { PRICES_PAGE, withPrices } from '../test/support/docs/prices.ts';

/** Writes the list of prices into the guide about credits. */
writeFileSync(PRICES_PAGE, withPrices(readFileSync(PRICES_PAGE, 'utf8')));
