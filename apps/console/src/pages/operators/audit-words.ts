import { defineAreaWords } from '../../words/define-words.ts';

/** The words of the audit log. */
export const auditWords = defineAreaWords({
  en: {
    intro:
      'Changes by operators and the lockstep command, and logins and logouts, newest first. Entries can’t be altered and never contain passwords or secrets. The log keeps every lockout, but only the first failed login per name and address within 15 minutes.',
    commandOf: (user: string) => `${user} (lockstep command)`,
    notLoggedIn: (address: string) => `not logged in, from ${address}`,
    operator: 'Operator',
    action: 'Action',
    target: 'Target',
    webhook: (id: string) => `webhook ${id}`,
    targetExample: 'Key, ID or name',
    changed: 'Changes',
    none: 'No entries yet',
    noneHelp: 'Every change that an operator makes is recorded here, with who made it and when.',
    nothingBefore: 'none',
    difference: 'difference from the failed orders',
    noDifference: 'none: resent unchanged',
    leftOut: (count: number) => (count === 1 ? '1 failed order left out' : `${count} failed orders left out`),
    added: (count: number) => (count === 1 ? '1 order added' : `${count} orders added`),
    inOrder: (sequence: number, field: string) => `sequence ${sequence}, ${field}`,
    absent: 'none',
    moreChanges: (count: number) => (count === 1 ? 'and 1 more change' : `and ${count} more changes`),
  },
  zh: {
    intro:
      '操作员和 lockstep 命令所做的变更，以及登录和退出，按时间倒序排列。记录不可篡改，不含密码和密钥。同一用户名、同一地址的登录失败，15 分钟内只记录第一次；锁定每次都会记录。',
    commandOf: (user) => `${user}（命令行）`,
    notLoggedIn: (address) => `未登录，来自 ${address}`,
    operator: '操作员',
    action: '操作',
    target: '对象',
    webhook: (id) => `Webhook ${id}`,
    targetExample: 'App Key、ID 或名称',
    changed: '变更内容',
    none: '暂无记录',
    noneHelp: '操作员所做的每项变更都会记录在这里，包括操作者和时间。',
    nothingBefore: '无',
    difference: '与失败订单的差异',
    noDifference: '无，原样重发',
    leftOut: (count) => `未重发 ${count} 个失败订单`,
    added: (count) => `新增 ${count} 个订单`,
    inOrder: (sequence, field) => `序号 ${sequence}，${field}`,
    absent: '无',
    moreChanges: (count) => `另有 ${count} 处变更`,
  },
});
