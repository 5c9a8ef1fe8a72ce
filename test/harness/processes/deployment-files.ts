import { readFileSync } from 'node:fs';
import { readConfig } from '@lockstep/config';
import { REPOSITORY } from './processes.ts';

/** Reads a file of the repository. */
export const readRepositoryFile = (file: string) => readFileSync(`${REPOSITORY}/${file}`, 'utf8');

/** package.json, as far as deployments depend on it. */
export const PACKAGE = JSON.parse(readRepositoryFile('package.json')) as {
  version: string;
  engines: { node: string };
  scripts: Record<string, string>;
  workspaces: string[];
  devDependencies: Record<string, string>;
};

/** Returns the command of an npm script: node, its flags, and the file that it runs. */
export function findScriptCommand(script: string): string[] | undefined {
  return PACKAGE.scripts[script]?.replace(/^exec /, '').split(' ');
}

/** The variables that the service reads. They are found by letting it read them. */
export function knownVariables(): Set<string> {
  const known = new Set<string>();
  readConfig(new Proxy<NodeJS.ProcessEnv>({}, { get: (_, name) => void known.add(String(name)) }));
  return known;
}

interface Instruction {
  name: string;
  words: string[];
}

/** The instructions of the Dockerfile: those of the stages before the image, and those of the image. */
export function readDockerfile(): { before: Instruction[]; image: Instruction[] } {
  const instructions = readRepositoryFile('Dockerfile')
    .replaceAll(/ \\\n */g, ' ')
    .split('\n')
    .filter((line) => /^[A-Z]+ /.test(line))
    .map((line) => ({ name: line.split(' ', 1)[0]!, words: line.split(' ').slice(1) }));
  const lastStage = instructions.findLastIndex(({ name }) => name === 'FROM');
  return { before: instructions.slice(0, lastStage), image: instructions.slice(lastStage) };
}

/** The words of each instruction of a name. */
export function wordsOf(instructions: Instruction[], name: string): string[][] {
  return instructions.filter((each) => each.name === name).map(({ words }) => words);
}
