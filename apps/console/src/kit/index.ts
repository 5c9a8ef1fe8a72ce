/*
 * The kit of the console's pages. How a page is made:
 *
 * 1. `pages/<area>/routes.tsx` names the area's addresses and loads its pages when they are opened:
 *
 *      export const batchesRoutes = [
 *        createRoute({
 *          getParentRoute: () => rootRoute,
 *          path: '/batches',
 *          validateSearch: searchOf('state', 'channelCode', 'cursor'),
 *          component: lazyRouteComponent(() => import('./BatchesPage.tsx'), 'BatchesPage'),
 *        }),
 *      ] as const;
 *
 *    What stands in the address is always text: ids have more digits than a number keeps.
 *
 * 2. A page reads its address by `getRouteApi('/batches')` (not by importing its route: that is a cycle), calls the server by
 *    `useOperation(id, call, { refreshMs })` and `useChange(id)` of `../../api/index.ts`, and shows:
 *
 *      const route = getRouteApi('/batches');
 *      export function BatchesPage() {
 *        const words = useWords(batchesWords);
 *        const search = route.useSearch();
 *        const navigate = route.useNavigate();
 *        const batches = useOperation('listBatches', { query: search }, { refreshMs: 5_000, keepsPrevious: true });
 *        return (
 *          <Page title={words.title} lead={words.lead}>
 *            <Filters fields={…} value={search} onChange={(next) => void navigate({ search: next })} />
 *            <Query of={batches}>
 *              {({ batches: rows, nextCursor }) => (
 *                <DataTable label={words.title} columns={columns} rows={rows} rowKey={(row) => row.batchId} empty={…}
 *                  paging={{ cursor: search.cursor, nextCursor,
 *                    onCursor: (cursor) => void navigate({ search: { ...search, cursor } }) }} />
 *              )}
 *            </Query>
 *          </Page>
 *        );
 *      }
 *
 *    Keep `columns` the same between renders (`useMemo`): the table is built anew with new ones.
 *
 * 3. All text stands in `pages/<area>/words.ts`: `defineWords({ en: { … }, zh: { … } })`, read by `useWords(batchesWords)`. A
 *    word is a text or a function that fills in what it is about.
 *
 * 4. A change asks first (`ConfirmButton`), and tells how it went (`announce('good', words.cancelled)`); what failed shows in
 *    the dialog by itself. A password or secret is shown by `OneTimeSecret`. What a role may not do is not shown:
 *    `const may = useMay(); may('admin') && <…/>`, or `useMayCall()('createApplication')`.
 *
 * Fields and buttons are Mantine's (`TextInput`, `NativeSelect`, `Checkbox`, `Textarea`, `Tabs`, `Button`, `PasswordInput`); one
 * that is not among them needs its style in `theme/styles.css`. Show no HTML but by React: names may hold markup.
 */
export { announce } from './announce.ts';
export { Badge, type Tone } from './Badge.tsx';
export { Chart } from './Chart.tsx';
export { ConfirmButton } from './ConfirmButton.tsx';
export { CopyButton, CopyId } from './CopyId.tsx';
export { Count, Figure, Figures } from './Count.tsx';
export { type Column, DataTable, type TableProps } from './DataTable.tsx';
export { Dialog } from './Dialog.tsx';
export { Empty } from './Empty.tsx';
export { Failure } from './Failure.tsx';
export { type Field, Fields } from './Fields.tsx';
export { type FilterField, Filters, optionsOf } from './Filters.tsx';
export { JsonView } from './JsonView.tsx';
export { NothingMatches } from './NothingMatches.tsx';
export { Notice } from './Notice.tsx';
export { OneTimeSecret } from './OneTimeSecret.tsx';
export { Page, Section } from './Page.tsx';
export { Pager } from './Pager.tsx';
export { ProgressBar } from './ProgressBar.tsx';
export { Query } from './Query.tsx';
export { RoleGate } from './RoleGate.tsx';
export { StateBadge, useStateWords } from './StateBadge.tsx';
export { Time } from './Time.tsx';
export { TimeLine } from './TimeLine.tsx';
export { Tree, type TreeNode } from './Tree.tsx';
