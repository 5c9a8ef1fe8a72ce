/*
 * The kit of the console's pages. How to make a page:
 *
 * 1. Add it to `routes.tsx` with its path, a function that loads it, and its search parameters. Parameters are strings,
 *    because ids have more digits than a number can hold.
 *
 * 2. Read the address by `getRouteApi('/batches')` (importing the route would be a cycle). Call the service by
 *    `useOperation(id, call, { refreshMs })` of `../../api/index.ts`:
 *
 *      const route = getRouteApi('/batches');
 *      export function BatchesPage() {
 *        const words = useWords(batchesWords);
 *        const query = route.useSearch();
 *        const batches = useOperation('listAllBatches', { query }, { refreshMs: 5_000, keepsPrevious: true });
 *        return (
 *          <Page title={words.batches} lead={words.lead}>
 *            <Filters fields={…} />
 *            <Query of={batches}>
 *              {({ batches: rows, nextCursor }) => (
 *                <DataTable label={words.batches} columns={columns} rows={rows} rowKey={(row) => row.batchId}
 *                  empty={<NoRows …/>} nextCursor={nextCursor} />
 *              )}
 *            </Query>
 *          </Page>
 *        );
 *      }
 *
 *    Filters, tabs and pagers read and change the address themselves (`useAddress`).
 *
 * 3. Put all text into `pages/<area>/words.ts`: `defineAreaWords({ name: [English, Chinese] })`. `useWords(…)` also
 *    returns the words that areas share (`words/define-words.ts`). Tests read all of them from `all-words.ts`.
 *
 * 4. Make changes with `ConfirmButton`: it asks first, calls the operation, announces success and shows failures in its
 *    dialog. It hides itself from roles that may not call the operation. Show a password or secret by `OneTimeSecret`.
 *    Hide other actions by `useMayCall()('bindApplication') && <…/>`.
 *
 * Fields and buttons come from Mantine (`TextInput`, `NativeSelect`, `Checkbox`, `Textarea`, `Tabs`, `Button`,
 * `PasswordInput`). Any other component needs its styles in `theme/styles.css`. Never insert HTML: names may contain
 * markup.
 */

export { ConfirmButton, Dialog, OneTimeSecret } from './dialogs.tsx';
export { Chart, Count, Figure, Figures, ProgressBar, Time, TimeLine } from './figures.tsx';
export { AddressTabs, Filters, optionsOf, useAddress } from './filters.tsx';
export { type Crumb, Failure, Page, Query, RoleGate, Section } from './page.tsx';
export { announce, Badge, Empty, Notice, StateBadge, type Tone, useStateWords } from './signs.tsx';
export { type Column, DataTable, NoRows, Pager, type TableProps } from './table.tsx';
export { CopyButton, CopyId, type Field, Fields, JsonView, Tree, type TreeNode } from './values.tsx';
