import { defineAreaWords } from '../../words/define-words.ts';

/** The words of the audit log. */
export const auditWords = defineAreaWords({
  intro: [
    'Changes by operators and the lockstep command, and logins and logouts, newest first. Entries can’t be altered and never contain passwords or secrets. The log keeps every lockout, but only the first failed login per name and address within 15 minutes.',
    '操作员和 lockstep 命令所做的变更，以及登录和退出，按时间倒序排列。记录不可篡改，不含密码和密钥。同一用户名、同一地址的登录失败，15 分钟内只记录第一次；锁定每次都会记录。',
  ],
  commandOf: [(user: string) => `${user} (lockstep command)`, (user) => `${user}（命令行）`],
  notLoggedIn: [(address: string) => `not logged in, from ${address}`, (address) => `未登录，来自 ${address}`],
  operator: ['Operator', '操作员'],
  action: ['Action', '操作'],
  target: ['Target', '对象'],
  webhook: [(id: string) => `webhook ${id}`, (id) => `Webhook ${id}`],
  targetExample: ['Key, ID or name', 'App Key、ID 或名称'],
  changed: ['Changes', '变更内容'],
  none: ['No entries yet', '暂无记录'],
  noneHelp: [
    'Every change that an operator makes is recorded here, with who made it and when.',
    '操作员所做的每项变更都会记录在这里，包括操作者和时间。',
  ],
  nothingBefore: ['none', '无'],
  difference: ['difference from the failed orders', '与失败订单的差异'],
  noDifference: ['none: resent unchanged', '无，原样重发'],
  leftOut: [
    (count: number) => (count === 1 ? '1 failed order left out' : `${count} failed orders left out`),
    (count) => `未重发 ${count} 个失败订单`,
  ],
  added: [
    (count: number) => (count === 1 ? '1 order added' : `${count} orders added`),
    (count) => `新增 ${count} 个订单`,
  ],
  inOrder: [
    (sequence: number, field: string) => `sequence ${sequence}, ${field}`,
    (sequence, field) => `序号 ${sequence}，${field}`,
  ],
  absent: ['none', '无'],
  moreChanges: [
    (count: number) => (count === 1 ? 'and 1 more change' : `and ${count} more changes`),
    (count) => `另有 ${count} 处变更`,
  ],
});
