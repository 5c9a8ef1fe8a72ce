import { describe, expect, it } from 'vitest';
import { findCandidates } from './completion.ts';
import { buildProgram } from './program.ts';

const program = buildProgram({});
const find = (...words: string[]) => findCandidates(program, words).map((line) => line.split('\t')[0]);

describe('candidates', () => {
  it.each([
    ['ba', 'batch'],
    ['batch ', 'list show cancel preview failed retry help'],
    ['batch list --st', '--state'],
    ['batch list --state ', 'accepted processing completed'],
    ['batch list --has-failed --state c', 'completed'],
    ['batch list --channel list --all --has', '--has-failed'],
    ['app create --scope auth_order ', 'auth_order auth_me'],
    ['app create --scope auth_order --app', '--approve'],
    ['help sub', 'submit'],
    ['completion ', 'bash zsh fish'],
    // The shell completes file names.
    ['submit ', ''],
    ['batch failed web B --out a', ''],
    ['batch show web ', ''],
  ])('of "%s" are "%s"', (typed, found) => {
    expect(find(...typed.split(' ')).join(' ')).toBe(found);
  });

  it('have descriptions', () => {
    const asset = program.commands.find((command) => command.name() === 'asset')!;
    expect(findCandidates(program, ['asset'])).toEqual([`asset\t${asset.description()}`]);
  });
});
