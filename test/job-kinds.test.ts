import { expect, it } from 'vitest';
import { ROUTES } from '../src/api/routes.ts';
import { JOB_KINDS, type JobKind, workflowIdOf } from '../src/job-kinds.ts';
import { activityQuery } from '../src/schemas/team.ts';
import * as workflows from '../src/workflows/index.ts';

const KINDS = Object.keys(JOB_KINDS) as JobKind[];

it.each(KINDS)(
  'the kind %s has a route that starts it, a workflow and, if its jobs are listed, an entry in the activity list',
  (kind) => {
    const { path, workflow, isListed } = JOB_KINDS[kind];
    expect(ROUTES.some((route) => route.method === 'post' && route.path === path)).toBe(true);
    expect(workflows).toHaveProperty(workflow);
    expect(activityQuery.safeParse({ endpoint: kind }).success).toBe(isListed);
  },
);

it('no two kinds share a noun, only those of monitors a path, and only those of browser sessions a workflow', () => {
  const workflows = KINDS.filter((kind) => kind !== 'interact').map((kind) => JOB_KINDS[kind].workflow);
  expect(new Set(workflows).size).toBe(workflows.length);
  expect(new Set(KINDS.map((kind) => JOB_KINDS[kind].noun)).size).toBe(KINDS.length);
  const paths = KINDS.filter((kind) => kind !== 'review').map((kind) => JOB_KINDS[kind].path);
  expect(new Set(paths).size).toBe(paths.length);
});

it('the id of a workflow begins with its type', () => {
  expect(workflowIdOf('batch_scrape', '0197')).toBe('batch/0197');
});
