import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { ReplayEntry } from '../../src/schemas/replay.ts';
import { encodeScreencastFrame } from '../../src/sessions/live-view/frame.ts';
import { inputOfClient, inputOfViewer } from '../../src/sessions/recording/recorded-input.ts';
import { SessionRecorder } from '../../src/sessions/recording/recorder.ts';

let directory: string;
let recorder: SessionRecorder;
const onFault = vi.fn();
beforeEach(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'winnow-recording-'));
  recorder = new SessionRecorder({
    file: path.join(directory, 'recording.jsonl'),
    onFault,
    maxFrameBytes: 5_000,
  });
});
afterEach(async () => {
  await recorder.close();
  await rm(directory, { recursive: true });
});

async function recorded(): Promise<ReplayEntry[]> {
  await recorder.close();
  const lines = (await readFile(recorder.file, 'utf8')).split('\n').filter(Boolean);
  return lines.map((line) => JSON.parse(line));
}
const frame = (number: number, image: string | Buffer = `image ${number}`) =>
  encodeScreencastFrame(number, Buffer.from(image).toString('base64'), {
    deviceWidth: 800,
    deviceHeight: 600,
    offsetTop: 0,
  });

describe('The recording of a session', () => {
  it('has the first frame of a change and the last one, whatever comes between', async () => {
    for (let number = 0; number < 50; number++) recorder.addFrame(frame(number));
    expect(await recorded()).toMatchObject([
      { type: 'frame', width: 800, height: 600, data: Buffer.from('image 0').toString('base64') },
      { type: 'frame', data: Buffer.from('image 49').toString('base64') },
    ]);
  });

  it('is bounded in size and rate, whatever a page does', async () => {
    vi.spyOn(performance, 'now').mockReturnValue(5_000);
    for (let n = 0; n < 1_000; n++) recorder.add({ type: 'console', level: 'log', text: `${n}` });
    recorder.add({ type: 'navigation', url: 'http://a.example/' });
    vi.mocked(performance.now).mockRestore();
    const entries = await recorded();
    expect(entries.filter(({ type }) => type === 'console')).toHaveLength(20);
    expect(entries.at(-1)).toMatchObject({ type: 'navigation' });
  });

  it('goes on without frames when they have taken their share', async () => {
    const image = Buffer.alloc(600);
    const now = vi.spyOn(performance, 'now');
    for (let number = 0; number < 20; number++) {
      now.mockReturnValue(number * 1_000);
      recorder.addFrame(frame(number, image));
    }
    recorder.add({ type: 'navigation', url: 'http://a.example/' });
    now.mockRestore();
    const entries = await recorded();
    expect(entries.filter(({ type }) => type === 'frame')).toHaveLength(5);
    expect(entries.at(-1)).toMatchObject({ type: 'navigation' });
  });

  it('ends with a warning, not with the process, where its file cannot be written', async () => {
    const failed = new SessionRecorder({ file: path.join(directory, 'absent', 'file'), onFault });
    await vi.waitFor(() => expect(onFault).toHaveBeenCalledOnce());
    failed.add({ type: 'navigation', url: 'http://a.example/' });
    await failed.flush();
    await failed.close();
  });
});

describe('What is recorded of input', () => {
  it('says where and of which kind it was, not which text', () => {
    const key = { code: 'KeyS', keyCode: 83, location: 0, repeat: false, modifiers: 0 };
    const inputs = [
      inputOfViewer({ type: 'key', action: 'down', key: 's', text: 's', ...key }),
      inputOfViewer({ type: 'paste', text: 'secret' }),
      inputOfClient({ id: 1, method: 'Input.insertText', params: { text: 'secret' } }),
      inputOfClient({ id: 1, method: 'Input.dispatchKeyEvent', params: { type: 'keyDown', text: 's' } }),
      inputOfClient({
        id: 1,
        method: 'Input.dispatchMouseEvent',
        params: { type: 'mousePressed', x: 1, y: 2 },
      }),
      inputOfClient({ id: 1, method: 'Runtime.evaluate', params: { expression: 'secret' } }),
    ];
    expect(inputs).toEqual([
      { type: 'input', kind: 'key' },
      { type: 'input', kind: 'paste' },
      { type: 'input', kind: 'text' },
      { type: 'input', kind: 'key' },
      { type: 'pointer', action: 'down', x: 1, y: 2 },
      undefined,
    ]);
  });
});
