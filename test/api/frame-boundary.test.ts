import fc from 'fast-check';
import { expect, it } from 'vitest';
import { FrameBoundary } from '../../src/api/sessions/frame-boundary.ts';
import { propertyRuns } from '../support/suite/corpus.ts';

/** A frame as servers send it. */
function frame(length: number): Buffer {
  const header = Buffer.alloc(length < 126 ? 2 : length < 65_536 ? 4 : 10);
  header[0] = 0x82;
  header[1] = length < 126 ? length : length < 65_536 ? 126 : 127;
  if (header.length === 4) header.writeUInt16BE(length, 2);
  if (header.length === 10) header.writeBigUInt64BE(BigInt(length), 2);
  return Buffer.concat([header, Buffer.alloc(length, 0x7f)]);
}

const lengths = fc.array(fc.oneof(fc.nat(200), fc.constantFrom(0, 125, 126, 65_535, 65_536, 70_000)), {
  minLength: 1,
  maxLength: 5,
});

it('a frame may be added exactly where one ends, however the bytes arrive', () => {
  fc.assert(
    fc.property(lengths, fc.array(fc.nat(10_000)), (sizes, cuts) => {
      const bytes = Buffer.concat(sizes.map(frame));
      const ends = new Set(
        sizes.map((_, index) => Buffer.concat(sizes.slice(0, index + 1).map(frame)).length),
      );
      const boundary = new FrameBoundary();
      expect(boundary.isBetweenFrames).toBe(true);
      let at = 0;
      for (const cut of [...cuts, bytes.length]) {
        const chunk = bytes.subarray(at, at + cut);
        if (!chunk.length) continue;
        boundary.follow(chunk);
        at += chunk.length;
        expect(boundary.isBetweenFrames).toBe(ends.has(at));
      }
    }),
    propertyRuns(300),
  );
});

it('what comes before the frame that closes the connection is known, however the bytes arrive', () => {
  const close = Buffer.from([0x88, 2, 0x03, 0xe8]);
  fc.assert(
    fc.property(lengths, fc.array(fc.nat(10_000)), (sizes, cuts) => {
      const messages = Buffer.concat(sizes.map(frame));
      const bytes = Buffer.concat([messages, close]);
      const boundary = new FrameBoundary();
      let [at, before] = [0, 0];
      for (const cut of [...cuts, bytes.length]) {
        const chunk = bytes.subarray(at, at + cut);
        before += boundary.follow(chunk);
        at += chunk.length;
      }
      expect([before, boundary.hasClosed]).toEqual([messages.length, true]);
    }),
    propertyRuns(300),
  );
});
