import { Tabs } from '@mantine/core';
import type { ReactNode } from 'react';
import { useAddress } from './address.ts';

interface Part {
  name: string;
  label: string;
  content: ReactNode;
}

/** Parts of a page of which one is shown, the first at first. Its name stands in the address, by the name `of`. */
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
