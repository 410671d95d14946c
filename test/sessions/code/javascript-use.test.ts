import { expect, it } from 'vitest';
import { JavaScriptUse } from '../../../src/sessions/code/javascript-use.ts';

it('JavaScript is made ready for sessions after one that has executed it, until three in a row have not', () => {
  const use = new JavaScriptUse();
  expect(use.isLikely).toBe(false);
  use.noticeSession();
  use.noticeCall();
  const predicted: boolean[] = [];
  for (let session = 0; session < 4; session++) {
    predicted.push(use.isLikely);
    use.noticeSession();
  }
  expect(predicted).toEqual([true, true, true, false]);
  use.noticeCall();
  expect(use.isLikely).toBe(true);
});
