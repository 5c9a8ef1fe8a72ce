import { Box, Group, Kbd } from '@mantine/core';
import { Dialog } from '../kit/dialogs.tsx';
import { useAreas } from './areas.ts';
import { shellWords as words } from './words.ts';

/** Lists the keyboard shortcuts. */
export default function ShortcutsDialog({ onClose }: { onClose: () => void }) {
  const shortcuts: [keys: string[], text: string][] = [
    [['?'], words.shortcutHelp],
    [['Ctrl', 'K'], words.searchButton],
    [['↑', '↓'], words.shortcutRows],
    ...useAreas().map(({ name, key }): [string[], string] => [['g', key], words.shortcutGoTo(words[name])]),
  ];
  return (
    <Dialog title={words.shortcuts} onClose={onClose}>
      <dl>
        {shortcuts.map(([keys, text]) => (
          <Group key={text} gap="lg" py="xs">
            <Box component="dt" w="5rem">
              {keys.map((key) => (
                <Kbd key={key}>{key}</Kbd>
              ))}
            </Box>
            <Box component="dd" m={0}>
              {text}
            </Box>
          </Group>
        ))}
      </dl>
    </Dialog>
  );
}
