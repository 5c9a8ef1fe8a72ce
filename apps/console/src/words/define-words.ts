import { type Language, language, TAGS } from './language.ts';

/** A word or sentence, or a function that inserts values into one. */
// biome-ignore lint/suspicious/noExplicitAny: each sentence declares its own parameters.
type Phrase = string | ((...values: any[]) => string);
type Same<Word> = Word extends string ? string : Word;

/** A word as pages say it. A number among its values is written in the format of the language. */
type Said<Word> = Word extends (...values: infer Values) => string
  ? (...values: { [At in keyof Values]: Values[At] extends string ? string | number : Values[At] }) => string
  : string;

/** The words of an area. */
type Words<Table> = { [Key in keyof Table]: Said<Table[Key]> };

/** A table of words: each in English, then in Chinese. */
type WordTable<Table> = { readonly [Key in keyof Table]: readonly [en: Table[Key], zh: Same<Table[Key]>] };

/** The words of each table in both languages. */
const inBoth = new WeakMap<object, Record<Language, object>>();

/** Returns words in a language, by those in the page's language. */
export const wordsIn = <Table extends object>(words: Table, other: Language) => inBoth.get(words)![other] as Table;

function inLanguageOfPage<Table>(both: Record<Language, object>): Words<Table> {
  inBoth.set(both[language], both);
  return both[language] as Words<Table>;
}

/** Declares words, `{ name: ['Name', '名称'] }`, and returns them in the language of the page. */
export function defineWords<const Table extends Record<string, Phrase>>(table: WordTable<Table>): Words<Table> {
  const rows = Object.entries<readonly Phrase[]>(table);
  const inLanguage = (place: number, tag: string) =>
    Object.fromEntries(rows.map(([key, words]) => [key, sayIn(tag, words[place]!)]));
  return inLanguageOfPage({ en: inLanguage(0, TAGS.en), zh: inLanguage(1, TAGS.zh) });
}

/** Makes a phrase of a language write numbers as the language does. */
function sayIn(tag: string, phrase: Phrase): Phrase {
  if (typeof phrase === 'string') return phrase;
  return (...values) =>
    phrase(...values.map((value) => (typeof value === 'number' ? value.toLocaleString(tag) : value)));
}

/** Writes how many of a thing there are, in English. */
export const counted = (count: string, thing: string) => `${count} ${thing}${count === '1' ? '' : 's'}`;

/** Puts a space between a Chinese word and a Latin word or number after it: `复制 App Key`. */
export function spaceWords(text: string): string {
  return text.replace(/(\p{Script=Han})(?=[A-Za-z\d])/gu, '$1 ');
}

/** Words that several areas share: names of things and of fields, and the buttons of forms. */
export const commonWords = defineWords({
  overview: ['Overview', '概览'],
  batches: ['Batches', '批次'],
  batch: ['Batch', '批次'],
  orders: ['Orders', '订单'],
  order: ['Order', '订单'],
  assets: ['Assets', '资产'],
  asset: ['Asset', '资产'],
  expiring: ['Expiring', '即将到期'],
  employees: ['Employees', '员工'],
  enterprises: ['Enterprises', '企业'],
  enterprise: ['Enterprise', '企业'],
  customers: ['Customers', '客户'],
  customer: ['Customer', '客户'],
  employee: ['Employee', '员工'],
  administrator: ['Administrator', '管理员'],
  preview: ['Preview', '预览'],
  applications: ['Applications', '应用'],
  application: ['Application', '应用'],
  channels: ['Channels', '渠道'],
  webhooks: ['Webhooks', 'Webhook'],
  refusals: ['Refused calls', '被拒调用'],
  queue: ['Queue', '队列'],
  operators: ['Operators', '操作员'],
  auditLog: ['Audit log', '审计日志'],
  products: ['Products', '产品'],
  product: ['Product', '产品'],
  licenseType: ['License type', '授权类型'],
  nodes: ['Nodes', '节点数'],
  source: ['Source order', '来源订单'],
  allChannels: ['All channels', '全部渠道'],
  id: ['ID', 'ID'],
  code: ['Code', '代码'],
  name: ['Name', '名称'],
  password: ['Password', '密码'],
  state: ['State', '状态'],
  type: ['Type', '类型'],
  cause: ['Cause', '原因'],
  failure: ['Failure', '失败原因'],
  failures: ['Failures by cause', '失败原因'],
  effect: ['Effect or failure', '变更或失败原因'],
  noEffect: ['No changes', '无变更'],
  extended: ['Products added', '追加产品'],
  transferred: ['Transferred', '转移'],
  sequence: ['Sequence', '序号'],
  channel: ['Channel', '渠道'],
  appKey: ['App key', 'App Key'],
  customerId: ['Customer ID', '客户 ID'],
  assetNum: ['Asset number', '资产编号'],
  acceptedRate: ['Accepted/s', '每秒受理'],
  succeededRate: ['Succeeded/s', '每秒成功'],
  failedRate: ['Failed/s', '每秒失败'],
  succeeded: ['Succeeded', '成功'],
  failed: ['Failed', '失败'],
  pendingOrders: ['Pending orders', '待处理订单'],
  oldestPending: ['Oldest pending', '最早待处理'],
  heldOrders: ['Held orders', '挂起订单'],
  acceptedTime: ['Accepted', '受理时间'],
  begins: ['Starts', '生效时间'],
  ends: ['Ends', '到期时间'],
  currentState: ['Current state', '当前状态'],
  attempts: ['Attempts', '尝试次数'],
  reason: ['Reason', '理由'],
  reasonHint: ['Recorded in the audit log. The channel doesn’t see it.', '将记入审计日志，渠道不可见。'],
  /** Between a word and a relative time. */
  at: [' ', '：'],
  requestId: ['Request ID', '请求 ID'],
  createdTime: ['Created', '创建时间'],
  pausedSince: ['Paused since', '暂停时间'],
  disabledSince: ['Disabled since', '停用时间'],
  since: ['Since', '开始时间'],
  time: ['Time', '时间'],
  command: ['the lockstep command', 'lockstep 命令'],
  none: ['None', '无'],
  nothing: ['none', '无'],
  noMatches: ['No matches', '没有匹配结果'],
  more: [(count: string) => `and ${count} more`, (count) => `另有 ${count} 个`],
  batchNumber: [(id: string) => `batch ${id}`, (id) => `批次 ${id}`],
  actions: ['Actions', '操作'],
  pause: ['Pause', '暂停'],
  resume: ['Resume', '恢复'],
  cancel: ['Cancel', '取消'],
  save: ['Save', '保存'],
  close: ['Close', '关闭'],
  enable: ['Enable', '启用'],
  loading: ['Loading…', '加载中…'],
  /** Between a label and its value. */
  colon: [': ', '：'],
  /** Between two sentences, and before an aside. */
  gap: [' ', ''],
  /** Between the elements of a list. */
  comma: [', ', '、'],
  aside: [(text: string) => `(${text})`, (text) => `（${text}）`],
});

type Common = typeof commonWords;

/** Declares the words of an area and adds the common ones, which the area may override. */
export function defineAreaWords<const Table extends Record<string, Phrase>>(
  table: WordTable<Table>,
): Words<Table> & Omit<Common, keyof Table> {
  const words = defineWords(table);
  const merged = (each: Language) => ({ ...wordsIn(commonWords, each), ...wordsIn(words, each) });
  return inLanguageOfPage<Table>({ en: merged('en'), zh: merged('zh') }) as Words<Table> & Omit<Common, keyof Table>;
}
