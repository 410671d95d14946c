import { describe, expect, it } from 'vitest';
import { cleanCompletion } from '../../src/models/completion-text.ts';

describe('cleanCompletion', () => {
  it.each([
    ['<think>a</think>b', 'b'],
    ['a <think>b</think> c', 'a  c'],
    ['a</think>b', 'b'],
    ['<think>a</think>b</thinking>c', 'c'],
    ['a<thinking>b</think>c<think>d', 'ac'],
    ['<think>a', ''],
    ['```json\n{}\n```', '{}'],
  ])('leaves of %j what the model means', (text, meant) => {
    expect(cleanCompletion(text)).toBe(meant);
  });

  it('reads thoughts that begin 100,000 times in linear time', () => {
    expect(cleanCompletion(`a${'<think>'.repeat(100_000)}`)).toBe('a');
  });
});
