import { beforeAll, describe, expect, it } from 'vitest';
import { newPassword, PasswordHasher } from './passwords.ts';

const OVERLOADED = { name: 'Overload' };
const ADDITION = { party: 'addition 1' };
const LOGIN = { party: 'login 1' };

let hasher: PasswordHasher;
let hashed: string;

beforeAll(async () => {
  hasher = new PasswordHasher();
  [hashed] = (await hasher.hashAll(['correct horse'], ADDITION)) as [string];
});

it('hashes with argon2id and the parameters of OWASP, each time with a salt of its own', async () => {
  const hashes = [hashed, ...(await hasher.hashAll(['correct horse', 'correct horse'], ADDITION))];
  // PHC string format: 16 bytes of salt, 32 of hash.
  for (const each of hashes) expect(each).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$[\w+/]{22}\$[\w+/]{43}$/);
  expect(new Set(hashes.map((each) => each.split('$')[4])).size).toBe(3);
});

it('answers hashes in the order of the passwords', async () => {
  const passwords = ['first', 'second', 'third', 'fourth', 'fifth'];
  const hashes = await hasher.hashAll(passwords, ADDITION);
  const isOwn = await Promise.all(
    passwords.map((password, index) => hasher.isPassword(password, hashes[index]!, LOGIN)),
  );
  expect(isOwn).toEqual(passwords.map(() => true));
  expect(await hasher.isPassword('first', hashes[1]!, LOGIN)).toBe(false);
  expect(await hasher.hashAll([], ADDITION)).toEqual([]);
});

describe('a password', () => {
  it.each([
    ['in other case', 'Correct horse'],
    ['with a blank more', 'correct horse '],
    ['with U+0000 behind it', 'correct horse\0'],
    ['without its last character', 'correct hors'],
    ['in full-width letters, which only look alike', 'ｃｏｒｒｅｃｔ horse'],
    ['that is empty', ''],
    ['that is long', 'correct horse'.repeat(1_000)],
  ])('is another one %s', async (_how, other) => {
    expect(await hasher.isPassword(other, hashed, LOGIN)).toBe(false);
  });

  it.each([
    ['Latin', 'p\u00e1ssw\u00f6rd', 'pa\u0301sswo\u0308rd'],
    ['Korean', '\ud55c\uad6d\uc5b4', '\u1112\u1161\u11ab\u1100\u116e\u11a8\u110b\u1165'],
    ['with two marks in another order', 'a\u0323\u0302bcdefg', 'a\u0302\u0323bcdefg'],
  ])('is the same one however its characters are composed: %s', async (_script, one, other) => {
    expect(one).not.toBe(other);
    const [hash] = await hasher.hashAll([one], ADDITION);
    expect(await hasher.isPassword(other, hash!, LOGIN)).toBe(true);
    expect(await hasher.isPassword(one, hash!, LOGIN)).toBe(true);
  });

  it('may hold anything', async () => {
    const odd = '  \0 \n 🔑👩‍👩‍👧 %00 مرور ';
    const [hash] = await hasher.hashAll([odd], ADDITION);
    expect(await hasher.isPassword(odd, hash!, LOGIN)).toBe(true);
    expect(await hasher.isPassword(odd.trim(), hash!, LOGIN)).toBe(false);
  });
});

it('makes passwords of 24 random characters', () => {
  const made = Array.from({ length: 100 }, newPassword);
  for (const password of made) expect(password).toMatch(/^[\w-]{24}$/);
  expect(new Set(made).size).toBe(100);
});

/** Returns the names of the work in the order of completion. */
async function orderOfEnds(...work: [name: string, promise: Promise<unknown>][]): Promise<string[]> {
  const ends: string[] = [];
  await Promise.all(work.map(([name, promise]) => promise.then(() => ends.push(name))));
  return ends;
}

it('works as much where there is no hash to compare with, and says no', async () => {
  const compare = (name: string, stored: string | null): [string, Promise<boolean>] => [
    name,
    hasher.isPassword('correct horse', stored, LOGIN),
  ];
  // At most three run at once. The twelve queue behind the others; if they cost no work, they would overtake them.
  const others = Array.from({ length: 3 }, () => compare('with', hashed));
  const twelve = Array.from({ length: 12 }, () => compare('without', null));
  const ends = await orderOfEnds(...others, ...twelve);
  expect(ends[0]).toBe('with');
  expect(ends.at(-1)).toBe('without');
  expect(await Promise.all(twelve.map(([, isPassword]) => isPassword))).not.toContain(true);
});

it('lets those who log in go before the many hashes of a call', async () => {
  const employees = Array.from({ length: 20 }, (_, index) => `employee ${index}`);
  const hashes = hasher.hashAll(employees, ADDITION);
  const login = hasher.isPassword('correct horse', hashed, LOGIN);
  expect(await orderOfEnds(['hashes', hashes], ['login', login])).toEqual(['login', 'hashes']);
});

it('hashes on other threads: timers and sockets have their turn meanwhile', async () => {
  let turns = 0;
  const hashing = hasher.hashAll(['one', 'two', 'three', 'four'], ADDITION).then(() => 'hashed' as const);
  const turn = () => new Promise<'turn'>((resolve) => setImmediate(() => resolve('turn')));
  while ((await Promise.race([hashing, turn()])) === 'turn') turns++;
  // If hashing ran on this thread, the event loop would turn once or twice at most.
  expect(turns).toBeGreaterThan(10);
});

describe('refuses as overload', () => {
  const hash = async (own: PasswordHasher, count: number) =>
    own.hashAll(
      Array.from({ length: count }, () => 'x'),
      ADDITION,
    );

  it('more than 200 of one enterprise at once, of which none is left behind', async () => {
    const own = new PasswordHasher();
    await expect(hash(own, 201)).rejects.toMatchObject(OVERLOADED);
    expect(await own.isPassword('correct horse', hashed, LOGIN)).toBe(true);
  });
});
