import { type ConsoleOperation, consoleOperations } from '@lockstep/contract/console';

const CONSOLE_BLOCK = /(<!-- console operations -->\n).*?(<!-- end -->)/s;

/** Returns docs/console.md with the current table of console operations between its marks. */
export function fillConsoleReference(page: string): string {
  const operations = Object.values<ConsoleOperation>(consoleOperations);
  const rows = operations.map(({ method, path, role, summary }) => `| \`${method} ${path}\` | ${role} | ${summary} |`);
  const table = ['| Call | Role | What it does |', '|---|---|---|', ...rows].join('\n');
  return page.replace(CONSOLE_BLOCK, (_, begin: string, end: string) => `${begin}\n${table}\n\n${end}`);
}
