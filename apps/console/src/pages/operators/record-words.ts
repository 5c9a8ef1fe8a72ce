import { defineWords } from '../../words/words.ts';

/** The words of the record of operators. */
export const recordWords = defineWords({
  en: {
    title: 'Record',
    intro: 'What operators changed, newest first. Nobody can alter it; passwords and secrets are never in it.',
    time: 'When',
    operator: 'Operator',
    action: 'Action',
    target: 'On',
    batch: (id: string) => `batch ${id}`,
    webhook: (id: string) => `webhook ${id}`,
    targetExample: 'a key, an id, a name',
    changed: 'What changed',
    requestId: 'Request id',
    command: 'the lockstep command',
    none: 'Nothing has been changed yet',
    noneHelp: 'Every change that an operator makes here is written down, with who made it and when.',
    nothingBefore: 'none',
  },
  zh: {
    title: '操作记录',
    intro: '操作员所做的变更，最新的在前。任何人都无法修改；其中不含密码和密钥。',
    time: '时间',
    operator: '操作员',
    action: '操作',
    target: '对象',
    batch: (id) => `批次 ${id}`,
    webhook: (id) => `Webhook ${id}`,
    targetExample: 'appKey、ID 或名称',
    changed: '变更内容',
    requestId: '请求编号',
    command: 'lockstep 命令',
    none: '尚无变更',
    noneHelp: '操作员在此所做的每项变更都会记录，包括操作者和时间。',
    nothingBefore: '无',
  },
});
