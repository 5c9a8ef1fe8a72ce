import {
  Button,
  type ButtonProps,
  NativeSelect,
  type NativeSelectProps,
  Stack,
  Tabs,
  TextInput,
  type TextInputProps,
} from '@mantine/core';
import { Link, type LinkProps, useNavigate, useSearch } from '@tanstack/react-router';
import type { FormEvent, ReactNode } from 'react';
import type { Search } from '../api/search.ts';

/** Returns the page's search parameters, and a function that changes some of them. Undefined removes one. */
export function useAddress(): [Search, (change: Search, replace?: boolean) => void] {
  const search: Search = useSearch({ strict: false });
  const navigate = useNavigate();
  // Keeps the scroll position. Adds a history entry by default, so that the browser's Back button works.
  return [
    search,
    (change, replace = false) =>
      void navigate({ to: '.', search: { ...search, ...change } as never, resetScroll: false, replace }),
  ];
}

interface Part {
  name: string;
  label: string;
  content: ReactNode;
}

interface Tabbed {
  /** The parameter of the address that names the open tab. */
  of: string;
  parts: readonly Part[];
  /** The tab that is open without it. Default: the first one. */
  initial?: string;
}

/** Tabs of a page. */
export function AddressTabs({ of, parts, initial = parts[0]!.name }: Tabbed) {
  const [search, change] = useAddress();
  const find = (wanted: string | undefined) => parts.find(({ name }) => name === wanted);
  const chosen = find(search[of]) ?? find(initial)!;
  const choose = (name: string | null) => change({ [of]: name === initial ? undefined : name!, cursor: undefined });
  return (
    <Tabs value={chosen.name} onChange={choose}>
      <Tabs.List>
        {parts.map(({ name, label }) => (
          <Tabs.Tab key={name} value={name}>
            {label}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      <Tabs.Panel value={chosen.name} pt="md">
        <Stack>{chosen.content}</Stack>
      </Tabs.Panel>
    </Tabs>
  );
}

/** A button that opens another page. */
export function ButtonLink({ to, ...button }: ButtonProps & { to: LinkProps; children: ReactNode }) {
  return <Button renderRoot={(props) => <Link {...to} {...props} />} {...button} />;
}

type TextFieldProps = Omit<TextInputProps, 'onChange' | 'value'> & { value: string; onChange: (text: string) => void };

/** A text field of a form. The browser proposes no values. */
export function TextField({ onChange, ...props }: TextFieldProps) {
  const change = (event: FormEvent<HTMLInputElement>) => onChange(event.currentTarget.value);
  return <TextInput autoComplete="off" maxLength={255} onChange={change} {...props} />;
}

type ChoiceProps<Value extends string> = Omit<NativeSelectProps, 'data' | 'onChange' | 'value'> & {
  value: Value;
  /** The words of each value. */
  options: Readonly<Record<Value, string>>;
  onChange: (value: Value) => void;
};

/** Selects one of a few values. */
export function Choice<Value extends string>({ options, onChange, ...props }: ChoiceProps<Value>) {
  const data = Object.entries<string>(options).map(([value, label]) => ({ value, label }));
  return <NativeSelect data={data} onChange={(event) => onChange(event.currentTarget.value as Value)} {...props} />;
}

/** Returns the options of a select for values, labeled by `words` or else by the values. */
export function optionsOf<Value extends string>(
  values: readonly Value[],
  words: Readonly<Record<Value, string>> | ((value: Value) => string) = (value) => value,
): Record<Value, string> {
  const entries = values.map((value) => [value, typeof words === 'function' ? words(value) : words[value]]);
  return Object.fromEntries(entries) as Record<Value, string>;
}
