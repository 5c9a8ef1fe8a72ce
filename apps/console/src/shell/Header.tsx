import { Burger, Button, Group, Kbd, Popover, Stack, Text, VisuallyHidden } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconSearch, IconUserCircle } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { useMe } from '../api/operations.ts';
import iconUrl from '../icon.svg';
import { codeName } from '../words/formats.ts';
import { useLogOut } from './log-out.ts';
import { openPalette } from './Palette.tsx';
import { Preferences } from './Preferences.tsx';
import { shellWords as words } from './words.ts';

/** The header of every page: search and the operator's menu. */
export function Header({ isMenuOpen, onMenu }: { isMenuOpen: boolean; onMenu: () => void }) {
  return (
    <Group h="100%" px="lg" gap="md" wrap="nowrap">
      <Burger
        hiddenFrom="sm"
        size="sm"
        opened={isMenuOpen}
        aria-label={words.menu}
        aria-controls="navigation"
        aria-expanded={isMenuOpen}
        onClick={onMenu}
      />
      <Group gap="sm" c="inherit" fz="lg" fw={600} wrap="nowrap" renderRoot={(props) => <Link to="/" {...props} />}>
        <img src={iconUrl} alt="" width="24" height="24" />
        {words.product}
      </Group>
      <SearchButton />
      <Account />
    </Group>
  );
}

/** Opens the palette. */
function SearchButton() {
  return (
    <Button
      flex={1}
      maw="28rem"
      me="auto"
      c="var(--mantine-color-placeholder)"
      styles={{ label: { flex: 1 } }}
      variant="default"
      fw="normal"
      justify="space-between"
      leftSection={<IconSearch size={16} />}
      rightSection={
        <Kbd size="xs" aria-hidden visibleFrom="sm">
          Ctrl K
        </Kbd>
      }
      onClick={openPalette}
    >
      {words.search}
    </Button>
  );
}

/** The operator's menu. */
function Account() {
  const { name, role, byProvider } = useMe();
  const logOut = useLogOut();
  const [isOpen, { toggle, close }] = useDisclosure();
  return (
    <Popover opened={isOpen} onChange={toggle} position="bottom-end" trapFocus returnFocus>
      <Popover.Target>
        <Button variant="subtle" color="gray" leftSection={<IconUserCircle size={20} />} onClick={toggle}>
          <VisuallyHidden>{words.account}</VisuallyHidden>
          <Text span inherit visibleFrom="sm">
            {name}
          </Text>
        </Button>
      </Popover.Target>
      <Popover.Dropdown>
        <Stack gap="sm">
          {words.loggedInAs(name, codeName(role))}
          <Preferences />
          <a href={new URL('../docs', document.baseURI).href} target="_blank" rel="noreferrer">
            {words.docs}
          </a>
          {!byProvider && (
            <Link to="/password" onClick={close}>
              {words.ownPassword}
            </Link>
          )}
          <Button variant="default" onClick={() => void logOut()}>
            {words.logOut}
          </Button>
        </Stack>
      </Popover.Dropdown>
    </Popover>
  );
}
