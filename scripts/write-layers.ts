import { readFileSync, writeFileSync } from 'node:fs';
import { ARCHITECTURE_PAGE, withLayersTable } from '../test/support/layers.ts';

/** Writes the table of layers into docs/architecture.md. */
writeFileSync(ARCHITECTURE_PAGE, withLayersTable(readFileSync(ARCHITECTURE_PAGE, 'utf8')));
