import { defineAreaWords } from '../../words/define-words.ts';

/** The words of the record of operators. */
export const recordWords = defineAreaWords({
  en: {
    intro:
      'What operators and the lockstep command changed, and who logged in and out, newest first. Nobody can alter it; passwords and secrets are never in it. Of failed log-ins it has the first of a name from each address within 15 minutes, and each lock-out.',
    commandOf: (user: string) => `${user} (lockstep command)`,
    stranger: (address: string) => `not logged in, from ${address}`,
    operator: 'Operator',
    action: 'Action',
    target: 'On',
    webhook: (id: string) => `webhook ${id}`,
    targetExample: 'a key, an id, a name',
    changed: 'What changed',
    none: 'Nothing has been changed yet',
    noneHelp: 'Every change that an operator makes here is written down, with who made it and when.',
    nothingBefore: 'none',
    difference: 'difference from what failed',
    noDifference: 'none: sent as it failed',
    leftOut: (count: number) => (count === 1 ? '1 failed order left out' : `${count} failed orders left out`),
    added: (count: number) => (count === 1 ? '1 order added' : `${count} orders added`),
    inOrder: (sequence: number, field: string) => `sequence ${sequence}, ${field}`,
    absent: 'nothing',
    moreChanges: (count: number) => (count === 1 ? 'and 1 more change' : `and ${count} more changes`),
  },
  zh: {
    intro:
      '操作员和 lockstep 命令所做的变更，以及登录和退出，最新的在前。任何人都无法修改；其中不含密码和密钥。失败的登录只记录 15 分钟内同一名称来自同一地址的首次，以及每次锁定。',
    commandOf: (user) => `${user}（lockstep 命令）`,
    stranger: (address) => `未登录，来自 ${address}`,
    operator: '操作员',
    action: '操作',
    target: '对象',
    webhook: (id) => `Webhook ${id}`,
    targetExample: 'appKey、ID 或名称',
    changed: '变更内容',
    none: '尚无变更',
    noneHelp: '操作员在此所做的每项变更都会记录，包括操作者和时间。',
    nothingBefore: '无',
    difference: '与失败内容的差异',
    noDifference: '无：按失败时的内容发送',
    leftOut: (count) => `未发送 ${count} 个失败订单`,
    added: (count) => `新增 ${count} 个订单`,
    inOrder: (sequence, field) => `序号 ${sequence}，${field}`,
    absent: '无',
    moreChanges: (count) => `另有 ${count} 处变更`,
  },
});
