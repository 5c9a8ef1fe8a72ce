import { Tabs } from '@mantine/core';
import type { ReactNode } from 'react';
import { useAddress } from './address.ts';

interface Part {
  name: string;
  label: string;
  content: ReactNode;
}

/** Tabs of a page. The address names the open tab in the parameter `of`; the first tab is the default. */
export function AddressTabs({ of, parts }: { of: string; parts: readonly Part[] }) {
  const [search, change] = useAddress();
  const first = parts[0]!;
  const chosen = parts.find(({ name }) => name === search[of]) ?? first;
  const choose = (name: string | null) => change({ [of]: name === first.name ? undefined : name!, cursor: undefined });
  return (
    <Tabs value={chosen.name} keepMounted={false} onChange={choose}>
      <Tabs.List>
        {parts.map(({ name, label }) => (
          <Tabs.Tab key={name} value={name}>
            {label}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      <Tabs.Panel value={chosen.name} pt="md">
        {chosen.content}
      </Tabs.Panel>
    </Tabs>
  );
}
