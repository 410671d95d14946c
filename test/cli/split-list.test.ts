import fc from 'fast-check';
import { expect, it } from 'vitest';
import { splitList } from '../../src/cli/split-list.ts';

async function* inPieces(text: string, length: number) {
  for (let at = 0; at < text.length; at += length) yield text.slice(at, at + length);
}

async function split(text: string, length: number, field = 'data') {
  const members: string[] = [];
  const generator = splitList(inPieces(text, length), field);
  for (;;) {
    const { done, value } = await generator.next();
    if (done) return { members, rest: value };
    members.push(value);
  }
}

it('a split list yields every member, wherever the chunks are cut', async () => {
  const answer = fc.record({
    before: fc.jsonValue(),
    data: fc.array(fc.jsonValue()),
    after: fc.jsonValue(),
  });
  await fc.assert(
    fc.asyncProperty(answer, fc.integer({ min: 1, max: 9 }), fc.boolean(), async (value, length, pretty) => {
      const { members, rest } = await split(JSON.stringify(value, null, pretty ? 2 : 0), length);
      expect(members.map((member) => JSON.parse(member))).toEqual(JSON.parse(JSON.stringify(value.data)));
      expect(JSON.parse(rest)).toEqual(JSON.parse(JSON.stringify({ ...value, data: [] })));
    }),
  );
});

it('a nested list of the same name, or its name in a string, is not split', async () => {
  const answer = {
    text: '"data":[1]',
    inner: { data: [1, 2] },
    list: [{ data: [3] }],
    data: ['a,]"\\', [4]],
  };
  const { members, rest } = await split(JSON.stringify(answer), 1);
  expect(members.map((member) => JSON.parse(member))).toEqual(answer.data);
  expect(JSON.parse(rest)).toEqual({ ...answer, data: [] });
});

it('a response without the list, or without JSON, is returned unchanged', async () => {
  expect(await split('{"success":false}', 3)).toEqual({ members: [], rest: '{"success":false}' });
  expect(await split('<html>, "no"</html>', 3)).toEqual({ members: [], rest: '<html>, "no"</html>' });
});
