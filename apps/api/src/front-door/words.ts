import type { GuideSlug } from './guides.ts';
import type { Language } from './language.ts';

/** What the front door says. Texts with `{0}` are filled in by `fill`. */
interface Words {
  /** The language itself, as its readers call it. */
  language: string;
  skip: string;
  console: string;
  docs: string;
  guides: string;
  health: string;
  sections: string;
  lead: string;
  ready: string;
  notReady: string;
  whereToGo: string;
  consoleFor: string;
  docsFor: string;
  guidesFor: string;
  healthFor: string;
  firstBatch: string;
  demo: string;
  sendBatch: string;
  logIn: string;
  lookUp: string;
  guidesLead: string;
  guideNames: Record<GuideSlug, [title: string, forWhom: string]>;
  onThisPage: string;
  allGuides: string;
  table: string;
  noGuide: string;
}

/** Fills `{0}`, `{1}` … of a text. */
export function fill(text: string, ...values: string[]): string {
  return text.replace(/\{(\d)\}/g, (_, position: string) => values[Number(position)] ?? '');
}

export const WORDS: Record<Language, Words> = {
  en: {
    language: 'English',
    skip: 'Skip to the content',
    console: 'Console',
    docs: 'Try the API',
    guides: 'Guides',
    health: 'Health',
    sections: 'Lockstep',
    lead: 'License orders and a member center, for companies that sell licensed software through many channels. Channels send orders in batches; each order takes effect once, in its customer’s order, and its outcome is never lost.',
    ready: 'The service is ready.',
    notReady: 'The service is not ready: {0}.',
    whereToGo: 'Where to go',
    consoleFor: 'For operators and support: batches, orders, assets, customers, and what is wrong right now.',
    docsFor: 'For integrators: every operation with examples, to try out here and now.',
    guidesFor: 'For everybody: a tutorial, the API, operations, security.',
    healthFor: 'For monitoring: whether the service is ready, and why not.',
    firstBatch: 'Your first batch',
    demo: 'This is the demo that npm start made. Three steps show what it does:',
    sendBatch: 'Send a batch, in a second shell in the same directory:',
    logIn: 'Open the {0} by the link that npm start printed, or log in as {1}. The password is {2} in {3}.',
    lookUp: 'See under Batches what became of the orders.',
    guidesLead: 'The documentation of this version.',
    guideNames: {
      readme: ['Read me', 'What Lockstep is, five words explained, how to start.'],
      tutorial: ['Tutorial', 'One long session by hand: an order, its outcome, a revocation, licenses for employees.'],
      console: ['The console', 'For operators and support: accounts, roles, pages.'],
      api: ['The API', 'For integrators: calls, errors and their causes, repeating a call.'],
      outcomes: ['What became of orders', 'For integrators: wait, feed, webhook, lists.'],
      operations: ['Operations', 'For operators: deployment, configuration, metrics, what to do at night.'],
      security: ['Security', 'Tokens, secrets, what the log holds, what to keep off the internet.'],
      interface: ['The interface', 'What was agreed with channels and clients, exact in names and codes.'],
      rules: ['Rules', 'What holds where the interface is silent, each rule with its reason.'],
      architecture: ['Architecture', 'For developers: how it works and why.'],
      scaling: ['Scaling', 'Machines for 1, 10 and 100 million orders a day, and what breaks first.'],
      performance: ['Performance', 'What was measured, and how to measure it.'],
      testing: ['Testing', 'For developers: how it is tested.'],
      changelog: ['Changes', 'What changed from version to version.'],
    },
    onThisPage: 'On this page',
    allGuides: 'All guides',
    table: 'Table',
    noGuide: 'There is no guide at this address.',
  },
  zh: {
    language: '中文',
    skip: '跳到正文',
    console: '控制台',
    docs: '试用 API',
    guides: '文档',
    health: '健康状态',
    sections: 'Lockstep',
    lead: '面向通过多个渠道销售授权软件的公司：授权订单与会员中心服务。渠道成批提交订单；每个订单只生效一次，并按客户内的先后顺序生效，结果不会丢失。',
    ready: '服务已就绪。',
    notReady: '服务未就绪：{0}。',
    whereToGo: '从这里开始',
    consoleFor: '面向运维与支持人员：批次、订单、资产、客户，以及当前的问题。',
    docsFor: '面向集成开发人员：每个接口都有示例，可当场试用。',
    guidesFor: '面向所有人：教程、API、运维、安全。',
    healthFor: '面向监控：服务是否就绪，未就绪的原因。',
    firstBatch: '第一个批次',
    demo: '这是 npm start 生成的演示环境。三步了解它能做什么：',
    sendBatch: '在同一目录的另一个终端里提交一个批次：',
    logIn: '用 npm start 输出的链接打开{0}，或以 {1} 登录。密码是 {3} 中的 {2}。',
    lookUp: '在“批次”中查看每个订单的结果。',
    guidesLead: '本版本的文档（英文）。',
    guideNames: {
      readme: ['自述', 'Lockstep 是什么、五个术语、如何启动。'],
      tutorial: ['教程', '手把手：下单、查看结果、撤销、给员工分配授权。'],
      console: ['控制台', '面向运维与支持人员：账号、角色、页面。'],
      api: ['API', '面向集成开发人员：调用、错误及其原因、重复调用。'],
      outcomes: ['订单的结果', '面向集成开发人员：等待、事件流、Webhook、列表。'],
      operations: ['运维', '面向运维人员：部署、配置、指标、夜间出事怎么办。'],
      security: ['安全', '令牌、密钥、日志内容、哪些不应暴露到互联网。'],
      interface: ['接口约定', '与渠道和客户端约定的名称与代码。'],
      rules: ['规则', '接口约定未说明之处的规则及其理由。'],
      architecture: ['架构', '面向开发人员：工作原理及其理由。'],
      scaling: ['扩展', '每天一百万、一千万、一亿订单需要多少机器，最先出现的瓶颈。'],
      performance: ['性能', '测量结果与测量方法。'],
      testing: ['测试', '面向开发人员：如何测试。'],
      changelog: ['变更', '各版本的变更。'],
    },
    onThisPage: '本页内容',
    allGuides: '全部文档',
    table: '表格',
    noGuide: '此地址没有文档。',
  },
};
