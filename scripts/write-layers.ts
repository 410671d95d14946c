import { readFileSync, writeFileSync } from 'node:fs';
import { LAYERS_PAGE, withLayersTable } from '../test/support/architecture/layers.ts';

/** Writes the table of layers into docs/layers.md. */
writeFileSync(LAYERS_PAGE, withLayersTable(readFileSync(LAYERS_PAGE, 'utf8')));
