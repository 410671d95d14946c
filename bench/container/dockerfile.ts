/** A stage of a Dockerfile. */
export interface Stage {
  name: string | undefined;
  /** The image or the earlier stage that it begins with. */
  base: string;
  steps: Step[];
}

/** An instruction with its text, whose continued lines are joined. */
export interface Step {
  instruction: string;
  text: string;
}

/** Reads the stages of a Dockerfile that has neither arguments nor here-documents. */
export function parseDockerfile(source: string): Stage[] {
  const lines = source
    .split('\n')
    .filter((line) => !/^\s*(#|$)/.test(line))
    .join('\n')
    .replace(/\\\n\s*/g, ' ')
    .split('\n');
  const stages: Stage[] = [];
  for (const line of lines) {
    const [, instruction = '', text = ''] = /^(\w+)\s+(.*)$/.exec(line) ?? [];
    if (instruction === 'FROM') {
      const [base = '', , name] = text.split(/\s+/);
      stages.push({ base, name, steps: [] });
      continue;
    }
    const stage = stages.at(-1);
    if (!stage) throw new Error(`The Dockerfile begins with ${instruction} in place of FROM.`);
    stage.steps.push({ instruction, text });
  }
  return stages;
}

/** The stages that one builds on, from the first to itself. @throws Error when there is no such stage */
export function stagesOf(stages: Stage[], target: string): Stage[] {
  const stage = stages.find(({ name }) => name === target);
  if (!stage) throw new Error(`The Dockerfile has no stage ${target}.`);
  const isStage = stages.some(({ name }) => name === stage.base);
  return [...(isStage ? stagesOf(stages, stage.base) : []), stage];
}
