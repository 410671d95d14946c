import { expect, it } from 'vitest';
import { mergeMetrics } from '../../src/system/merge-metrics.ts';

const of = (process: string) =>
  `# HELP seconds Time\n# TYPE seconds counter\nseconds{process="${process}"} 1\n`;

it('metrics that several registries have get one description, which all their samples follow', () => {
  const other = '# HELP pages Pages\n# TYPE pages gauge\npages 3\n';
  expect(mergeMetrics([`${of('api')}\n${other}`, of('worker'), ''])).toBe(
    [
      '# HELP seconds Time',
      '# TYPE seconds counter',
      'seconds{process="api"} 1',
      'seconds{process="worker"} 1',
      '# HELP pages Pages',
      '# TYPE pages gauge',
      'pages 3',
      '',
    ].join('\n'),
  );
});
