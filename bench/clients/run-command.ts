import { spawn } from 'node:child_process';
import { once } from 'node:events';

/** Runs a command. @throws Error with the end of its output if it fails, or if there is no such program */
export async function run(
  command: string[],
  directory: string,
  settings?: Record<string, string>,
): Promise<void> {
  const [program = '', ...args] = command;
  const child = spawn(program, args, {
    cwd: directory,
    env: { ...process.env, ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => {
      output = (output + chunk).slice(-500);
    });
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`${command.slice(0, 3).join(' ')} ended with ${code}: ${output.trim()}`);
}
