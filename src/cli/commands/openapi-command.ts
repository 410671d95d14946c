import { defineCommand } from 'citty';
import { describeApi } from '../../api/reference/openapi.ts';
import { ROUTES } from '../../api/routes.ts';

/** `openapi`: prints the API reference as JSON; it needs no running service. */
export const openapiCommand = defineCommand({
  meta: { name: 'openapi', description: 'print the API reference (OpenAPI 3.1)' },
  run() {
    process.stdout.write(`${JSON.stringify(describeApi(ROUTES), null, 2)}\n`);
  },
});
