import type { GuideSlug } from './guides.ts';
import type { Language } from './language.ts';

/** The texts of the front door. `fill` replaces `{0}`. */
interface Words {
  /** The language's name in that language. */
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

/** Replaces `{0}`, `{1}` … in a text. */
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
    lead: 'Lockstep receives license orders from many sales channels, applies each exactly once and in the right order for its customer, and never loses an outcome. In its member center, enterprises assign licenses to their employees.',
    ready: 'The service is ready.',
    notReady: 'The service is not ready: {0}.',
    whereToGo: 'Where to go',
    consoleFor: 'For operators and support: batches, orders, assets, enterprises and current problems.',
    docsFor: 'For integrators: every operation with examples that you can run here.',
    guidesFor: 'The documentation: tutorial, integration, operation, security.',
    healthFor: 'For monitoring: whether the service is ready, and if not, why.',
    firstBatch: 'Your first batch',
    demo: 'npm start created this demo. Try it in three steps:',
    sendBatch: 'In a second shell in the same directory, send a batch:',
    logIn: 'Open the {0} through the link that npm start printed, or log in as {1}. The password is {2} in {3}.',
    lookUp: 'Under Batches, see the outcome of each order.',
    guidesLead: 'The documentation of this version.',
    guideNames: {
      readme: ['Read me', 'What Lockstep is, and how to start it.'],
      tutorial: [
        'Tutorial',
        'A guided session: place an order, see its outcome, revoke it, assign licenses to employees.',
      ],
      console: ['Console', 'For operators and support: accounts, roles and pages.'],
      integrating: [
        'Integrating',
        'For integrators: authentication, errors, retries, sync and async, generated clients.',
      ],
      api: ['API reference', 'For integrators: every operation, field and cause.'],
      outcomes: ['Outcomes', 'For integrators: how to learn what became of orders.'],
      deployment: ['Deployment', 'For operators: how to install, configure, monitor and upgrade.'],
      runbooks: ['Runbooks', 'For operators: what to do when an alert fires.'],
      security: ['Security', 'For operators and security reviewers: access, secrets, logs and exposure.'],
      interface: ['Interface', 'For maintainers: what was agreed with channels and clients.'],
      rules: ['Rules', 'For maintainers: what holds where the interface is silent.'],
      architecture: ['Architecture', 'For maintainers: how Lockstep works, and where to find it in the code.'],
      glossary: ['Glossary', 'For everyone who writes about Lockstep: each term, in English and Chinese.'],
      changelog: ['Changelog', 'What each version does.'],
    },
    onThisPage: 'On this page',
    allGuides: 'All guides',
    table: 'Table',
    noGuide: 'No guide exists at this address.',
  },
  zh: {
    language: '中文',
    skip: '跳到正文',
    console: '控制台',
    docs: 'API 调试',
    guides: '文档',
    health: '健康状态',
    sections: 'Lockstep',
    lead: 'Lockstep 受理各销售渠道的授权订单，确保每个订单只生效一次、同一客户的订单依次生效、结果绝不丢失。企业可在成员中心将授权分配给员工。',
    ready: '服务已就绪。',
    notReady: '服务未就绪：{0}。',
    whereToGo: '从这里开始',
    consoleFor: '面向操作员和技术支持：查看批次、订单、资产、企业和当前异常。',
    docsFor: '面向集成开发人员：每个接口都附有示例，可在线调用。',
    guidesFor: '产品文档：教程、集成、运维、安全。',
    healthFor: '面向监控系统：返回服务是否就绪，以及未就绪的原因。',
    firstBatch: '第一个批次',
    demo: '这是 npm start 创建的演示环境，三步即可上手：',
    sendBatch: '在同一目录下另开一个终端，提交一个批次：',
    logIn: '通过 npm start 输出的链接打开{0}，或用账号 {1} 登录，密码为 {3} 中的 {2}。',
    lookUp: '在“批次”中查看每个订单的结果。',
    guidesLead: '当前版本的文档（英文）。',
    guideNames: {
      readme: ['简介', 'Lockstep 是什么，如何启动。'],
      tutorial: ['教程', '动手实践：下单、查看结果、撤销，以及将授权分配给员工。'],
      console: ['控制台', '面向操作员和技术支持：账号、角色、页面。'],
      integrating: ['集成指南', '面向集成开发人员：认证、错误处理、重试、同步与异步、生成客户端。'],
      api: ['API 参考', '面向集成开发人员：全部接口、字段和错误原因。'],
      outcomes: ['订单结果', '面向集成开发人员：如何获取订单的结果。'],
      deployment: ['部署', '面向运维人员：安装、配置、监控、升级。'],
      runbooks: ['告警处理', '面向运维人员：收到告警时如何处理。'],
      security: ['安全', '面向运维和安全审查人员：访问控制、密钥、日志、暴露面。'],
      interface: ['接口规范', '面向维护人员：与渠道和客户端约定的内容。'],
      rules: ['规则', '面向维护人员：接口规范未规定之处的处理规则。'],
      architecture: ['架构', '面向维护人员：工作原理和代码位置。'],
      glossary: ['术语表', '各术语的含义，中英对照。'],
      changelog: ['更新日志', '各版本的功能。'],
    },
    onThisPage: '本页内容',
    allGuides: '全部文档',
    table: '表格',
    noGuide: '该地址没有对应的文档。',
  },
};
