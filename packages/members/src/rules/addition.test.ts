import { type NamedEmployee, Refusal } from '@lockstep/contract';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type AdditionFacts, judgeAdditions } from './addition.ts';

/** Employees of an M1 with these accounts. */
const named = (...userNames: string[]): NamedEmployee[] =>
  userNames.map((userName, index) => ({
    path: `userList[${index}]`,
    userName,
    employee: {
      userName,
      name: 'Kim',
      password: 'correct horse',
      departmentId: undefined,
      remark: undefined,
      passwordMobile: undefined,
    },
  }));

/** An employee that was refused when the body was read. */
const refused = (index: number, userName = ''): NamedEmployee => ({
  path: `userList[${index}]`,
  userName,
  refusal: new Refusal('name_missing', `userList[${index}].name`, ''),
});

const situation = (changes: Partial<AdditionFacts> = {}): AdditionFacts => ({
  code: 'abc123',
  takenUserNames: new Set(),
  room: Number.POSITIVE_INFINITY,
  ...changes,
});

/** The cause for each employee; undefined if it can be added. */
const causesOf = (judged: NamedEmployee[]) => judged.map(({ refusal }) => refusal?.reason);

describe('who can be added', () => {
  it('others instead of those who fail, who use up neither the limit nor an account', () => {
    const [tooLong, kim] = named('k'.repeat(60), 'kim');
    const all = [refused(0, 'kim'), tooLong!, kim!];
    expect(causesOf(judgeAdditions(all, situation({ room: 1 })))).toEqual([
      'name_missing',
      'account_malformed',
      undefined,
    ]);
  });

  it('no one if both the account and the limit refuse it, with the cause of the account', () => {
    const taken = situation({ takenUserNames: new Set(['kim']), room: 0 });
    expect(causesOf(judgeAdditions(named('kim'), taken))).toEqual(['account_taken']);
  });
});

describe('an added employee', () => {
  /** Few accounts, so that they often collide. Some are refused already, some are too long with the code. */
  const account = fc.constantFrom('a', 'b', 'c', 'd', 'e'.repeat(52), 'e'.repeat(56), 'e'.repeat(60));
  const list = fc
    .array(fc.option(account, { freq: 5 }), { maxLength: 12 })
    .map((accounts) =>
      accounts.map((userName, index) =>
        userName === null ? refused(index) : { ...named(userName)[0]!, path: `userList[${index}]` },
      ),
    );
  const situations = fc
    .record({
      code: fc.constantFrom('abc123', 'abcdef1234'),
      taken: fc.uniqueArray(account, { maxLength: 3 }),
      room: fc.constantFrom(-1, 0, 1, 2, 3, 5, Number.POSITIVE_INFINITY),
    })
    .map(({ code, taken, room }): AdditionFacts => ({ code, takenUserNames: new Set(taken), room }));
  const holds = (property: (all: NamedEmployee[], known: AdditionFacts, judged: NamedEmployee[]) => void) =>
    fc.assert(
      fc.property(list, situations, (all, known) => property(all, known, judgeAdditions(all, known))),
      { numRuns: 1_000 },
    );
  const addedOf = (judged: NamedEmployee[]) => judged.filter(({ employee }) => employee !== undefined);

  it('keeps the place in the list, and so do the others', () => {
    holds((all, _known, judged) => {
      const places = (entries: NamedEmployee[]) => entries.map(({ path, userName }) => ({ path, userName }));
      expect(places(judged)).toEqual(places(all));
      for (const [index, entry] of judged.entries()) {
        if (entry.employee !== undefined) expect(entry).toBe(all[index]);
        if (all[index]!.refusal !== undefined) expect(entry).toBe(all[index]);
      }
    });
  });

  it('has an account that no other employee has, and is within the limit', () => {
    holds((_all, { code, takenUserNames, room }, judged) => {
      const accounts = addedOf(judged).map(({ userName }) => userName);
      expect(new Set(accounts).size).toBe(accounts.length);
      expect(accounts.filter((userName) => takenUserNames.has(userName))).toEqual([]);
      expect(accounts.filter((userName) => userName.length + code.length >= 63)).toEqual([]);
      expect(accounts.length).toBeLessThanOrEqual(Math.max(room, 0));
    });
  });

  it('includes all that can be added: adding the failed ones again adds none', () => {
    holds((_all, { code, takenUserNames, room }, judged) => {
      const added = addedOf(judged);
      const again = judged.filter(({ refusal }) => refusal !== undefined && refusal.reason !== 'name_missing');
      const after = {
        code,
        takenUserNames: new Set([...takenUserNames, ...added.map(({ userName }) => userName)]),
        room: room - added.length,
      };
      expect(addedOf(judgeAdditions(named(...again.map(({ userName }) => userName)), after))).toEqual([]);
    });
  });

  it('would be so too if all were judged again: M1 judges before it hashes and after', () => {
    holds((_all, known, judged) => {
      expect(judgeAdditions(judged, known)).toEqual(judged);
    });
  });
});
