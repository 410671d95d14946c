import { describe, expect, it } from 'vitest';
import { formatDuration, ProgressLine } from '../../src/cli/progress-line.ts';

const standing = (completed: number, total: number, failed = 0) => ({
  completed,
  total,
  failed,
  creditsUsed: completed,
});

describe('the progress line', () => {
  it('shows pages, rate, failures, remaining time and credits', () => {
    const pace = new ProgressLine();
    for (let second = 0; second <= 10; second++) pace.update(standing(second * 4, 100, 5), second * 1000);
    expect(pace.text()).toBe('45/100 pages, 4.0/s, 5 failed, about 14 s left, 40 credits');
  });

  it('shows no remaining time while pages are still being found', () => {
    const pace = new ProgressLine();
    for (let second = 0; second <= 10; second++) pace.update(standing(second, 50 + second), second * 1000);
    expect(pace.text()).toBe('10/60 pages, 1.0/s, 10 credits');
  });

  it('computes the rate of the last 15 seconds only', () => {
    const pace = new ProgressLine();
    pace.update(standing(0, 100), 0);
    for (let second = 1; second <= 40; second++) pace.update(standing(80, 100), second * 1000);
    expect(pace.text()).toBe('80/100 pages, 0.0/s, 80 credits');
  });

  it('shows that a job is paused', () => {
    const pace = new ProgressLine();
    pace.update({ ...standing(1, 2), paused: true }, 0);
    expect(pace.text()).toBe('1/2 pages, paused, 1 credits');
  });

  it('shows a bar on a terminal that is wide enough', () => {
    const pace = new ProgressLine();
    pace.update(standing(1, 2), 0);
    expect(pace.text(200)).toBe(`${'█'.repeat(12)}${'░'.repeat(12)} 1/2 pages · 0.0/s · 1 credits`);
    expect(pace.text(40)).toMatch(/^█{5}░{5} 1\/2/);
    expect(pace.text(40)).toHaveLength(40);
    expect(pace.text(30)).toBe('1/2 pages · 0.0/s · 1 credits');
  });
});

it('durations are formatted in seconds, minutes and hours', () => {
  expect([0, 41.2, 200, 7500].map(formatDuration)).toEqual(['0 s', '42 s', '3 min 20 s', '2 h 5 min']);
});
