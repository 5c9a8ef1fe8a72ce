/*
 * The kit of the console's pages. How a page is made:
 *
 * 1. `routes.tsx` names its address, what loads it, and the texts behind the `?` that it reads. What stands in the
 *    address is always text: ids have more digits than a number keeps.
 *
 * 2. It reads its address by `getRouteApi('/batches')` (not by importing its route: that is a cycle), calls the server
 *    by `useOperation(id, call, { refreshMs })` of `../../api/index.ts`, and shows:
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
 *    Filters, tabs and the way to other pages of a list read the address and change it by themselves (`useAddress`).
 *
 * 3. All text stands in `pages/<area>/words.ts`: `defineAreaWords({ en: { … }, zh: { … } })`, read by
 *    `useWords(batchesWords)`, which also has the words that several areas show (`words/common.ts`). A word is a text
 *    or a function that fills in what it is about.
 *
 * 4. A change asks first: `ConfirmButton` calls its operation, tells how it went, and shows in its dialog what failed.
 *    It is not there for a reader whose role may not call that. A password or secret is shown by `OneTimeSecret`. Other
 *    things that a role may not do are hidden by `useMayCall()('bindApplication') && <…/>`.
 *
 * Fields and buttons are Mantine's (`TextInput`, `NativeSelect`, `Checkbox`, `Textarea`, `Tabs`, `Button`,
 * `PasswordInput`); one that is not among them needs its style in `theme/styles.css`. Show no HTML but by React: names
 * may hold markup.
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
