import { expect, it } from 'vitest';
import { listChanged } from './changed-fields.ts';

it('lists the fields that stand on either side', () => {
  expect(listChanged({ role: 'viewer', until: 1 }, { role: 'admin', since: 2 })).toEqual([
    { name: 'role', before: 'viewer', after: 'admin' },
    { name: 'until', before: 1, after: undefined },
    { name: 'since', before: undefined, after: 2 },
  ]);
});

it('lists what is new, or nothing where the action says all', () => {
  expect(listChanged(null, { role: 'admin' })).toEqual([{ name: 'role', before: undefined, after: 'admin' }]);
  expect(listChanged(null, null)).toEqual([]);
});

it('lists what is no object as it is', () => {
  expect(listChanged('web', ['web', 'tele'])).toEqual([{ name: '', before: 'web', after: ['web', 'tele'] }]);
});
