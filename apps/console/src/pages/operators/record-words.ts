import { defineAreaWords } from '../../words/words.ts';

/** The words of the record of operators. */
export const recordWords = defineAreaWords({
  en: {
    intro: 'What operators changed, newest first. Nobody can alter it; passwords and secrets are never in it.',
    operator: 'Operator',
    action: 'Action',
    target: 'On',
    webhook: (id: string) => `webhook ${id}`,
    targetExample: 'a key, an id, a name',
    changed: 'What changed',
    none: 'Nothing has been changed yet',
    noneHelp: 'Every change that an operator makes here is written down, with who made it and when.',
    nothingBefore: 'none',
  },
  zh: {
    intro: '操作员所做的变更，最新的在前。任何人都无法修改；其中不含密码和密钥。',
    operator: '操作员',
    action: '操作',
    target: '对象',
    webhook: (id) => `Webhook ${id}`,
    targetExample: 'appKey、ID 或名称',
    changed: '变更内容',
    none: '尚无变更',
    noneHelp: '操作员在此所做的每项变更都会记录，包括操作者和时间。',
    nothingBefore: '无',
  },
});
