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
 *      export default function BatchesPage() {
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
 * 3. Put all text into `pages/<area>/words.ts`: `defineAreaWords({ name: [English, Chinese] })`. `useWords(batchesWords)`
 *    also returns the words that areas share (`words/define-words.ts`). Tests read all of them from `all-words.ts`.
 *
 * 4. Make changes with `ConfirmButton`: it asks first, calls the operation, announces success and shows failures in its
 *    dialog. It hides itself from roles that may not call the operation. Show a password or secret by `OneTimeSecret`.
 *    Hide other actions by `useMayCall()('bindApplication') && <…/>`.
 *
 * Fields and buttons come from Mantine (`TextInput`, `NativeSelect`, `Checkbox`, `Textarea`, `Tabs`, `Button`,
 * `PasswordInput`). Any other component needs its styles in `theme/styles.css`. Never insert HTML: names may contain
 * markup.
 */
export { AddressTabs } from './address/AddressTabs.tsx';
export { useAddress } from './address/address.ts';
export { ConfirmButton } from './dialogs/ConfirmButton.tsx';
export { Dialog } from './dialogs/Dialog.tsx';
export { OneTimeSecret } from './dialogs/OneTimeSecret.tsx';
export { Chart } from './figures/Chart.tsx';
export { Count, Figure, Figures } from './figures/Count.tsx';
export { ProgressBar } from './figures/ProgressBar.tsx';
export { type Column, DataTable, type TableProps } from './lists/DataTable.tsx';
export { Filters, optionsOf } from './lists/Filters.tsx';
export { NoRows } from './lists/NoRows.tsx';
export { Pager } from './lists/Pager.tsx';
export { Failure } from './page/Failure.tsx';
export { type Crumb, Page, Section } from './page/Page.tsx';
export { Query } from './page/Query.tsx';
export { RoleGate } from './page/RoleGate.tsx';
export { announce } from './signs/announce.ts';
export { Badge, type Tone } from './signs/Badge.tsx';
export { Empty } from './signs/Empty.tsx';
export { Notice } from './signs/Notice.tsx';
export { StateBadge, useStateWords } from './signs/StateBadge.tsx';
export { Time } from './time/Time.tsx';
export { TimeLine } from './time/TimeLine.tsx';
export { CopyButton, CopyId } from './values/CopyId.tsx';
export { type Field, Fields } from './values/Fields.tsx';
export { JsonView } from './values/JsonView.tsx';
export { Tree, type TreeNode } from './values/Tree.tsx';
