import { type ConsoleOperation, consoleOperations } from '@lockstep/contract/console';

const CONSOLE_BLOCK = /(<!-- console operations -->\n).*?(<!-- end -->)/s;

/** Returns the page docs/console.md with the table of the console's operations in its marked place. */
export function fillConsoleReference(page: string): string {
  const operations = Object.values<ConsoleOperation>(consoleOperations);
  const rows = operations.map(({ method, path, role, summary }) => `| \`${method} ${path}\` | ${role} | ${summary} |`);
  const table = ['| Call | Role | What it does |', '|---|---|---|', ...rows].join('\n');
  return page.replace(CONSOLE_BLOCK, (_, begin: string, end: string) => `${begin}\n${table}\n\n${end}`);
}
