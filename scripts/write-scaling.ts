import { readFileSync, writeFileSync } from 'node:fs';
import { SCALING_PAGE, withScalingTables } from '../test/support/docs/scaling.ts';

/** Writes the tables of docs/scaling.md. */
writeFileSync(SCALING_PAGE, withScalingTables(readFileSync(SCALING_PAGE, 'utf8')));
