import { describeApi } from '@lockstep/api';
import { type Cause, causes, codeOf, ME_ROOT, type Operation, ORDER_ROOT, operations } from '@lockstep/contract';
import { describe, expect, it } from 'vitest';
import { read } from '../harness/browser/pages.ts';

/** docs/interface.md is written by hand: it must name what the service has. */
describe('docs/interface.md', () => {
  const page = read('docs/interface.md');

  it('has every operation, with its method and path', () => {
    const written = [...page.matchAll(/^### ([OM]\d+): .*\n\n`(\w+) (\S+?)`/gm)];
    const offered = (Object.values(operations) as Operation[])
      .filter(({ name }) => name !== undefined)
      .map(({ name, method, path }) => {
        const written = path.replace(ORDER_ROOT, '{order_root}').replace(ME_ROOT, '{me_root}');
        return `${name} ${method} ${written}`;
      });
    expect(offered).toHaveLength(19);
    expect(written.map(([, ...parts]) => parts.join(' ')).toSorted()).toEqual(offered.toSorted());
  });

  it('has every code that a cause has, but for what is no call of an operation', () => {
    const codes = new Set([...page.matchAll(/^\| (\d+) \|/gm)].map(([, code]) => code!));
    const used = (Object.keys(causes) as Cause[]).flatMap((cause) => [codeOf(cause, 'order'), codeOf(cause, 'member')]);
    const ofHttp = ['400', '404', '405', '408', '417', '431'];
    expect([...codes].toSorted()).toEqual([...new Set(used)].filter((code) => !ofHttp.includes(code)).toSorted());
  });

  it('names schemas that are there', () => {
    const { components } = describeApi(null) as { components: { schemas: Record<string, unknown> } };
    const named = [...page.matchAll(/^Schema `(\w+)`/gm)].map(([, name]) => name!);
    expect(named).toHaveLength(10);
    expect(named.filter((name) => !(name in components.schemas))).toEqual([]);
  });
});
