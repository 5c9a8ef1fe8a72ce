import { describeApi } from '@lockstep/api';
import { type Cause, causes, codeOf } from '@lockstep/contract';
import { describe, expect, it } from 'vitest';
import { read } from '../harness/pages.ts';

/** docs/interface.md is written by hand: it must name what the service has. */
describe('docs/interface.md', async () => {
  const page = read('docs/interface.md');
  const { paths, components } = (await describeApi(null)) as {
    paths: Record<string, Record<string, { summary: string }>>;
    components: { schemas: Record<string, unknown> };
  };

  it('has every operation, with its method and path', () => {
    const written = [...page.matchAll(/^### ([OM]\d+): .*\n\n`(\w+) \{(?:order|me)_root\}(\S+?)`/gm)];
    const offered = Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).flatMap(([method, { summary }]) => {
        const [, operation] = /^([OM]\d+)\b/.exec(summary) ?? [];
        const [, relative] = /^(?:\/order\/api\/order|\/me\/api)\/v1(.*)$/.exec(path) ?? [];
        return operation === undefined ? [] : [`${operation} ${method.toUpperCase()} ${relative}`];
      }),
    );
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
    const named = [...page.matchAll(/^Schema `(\w+)`/gm)].map(([, name]) => name!);
    expect(named).toHaveLength(10);
    expect(named.filter((name) => !(name in components.schemas))).toEqual([]);
  });
});
