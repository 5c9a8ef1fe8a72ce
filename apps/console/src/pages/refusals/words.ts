import { defineAreaWords } from '../../words/define-words.ts';

/** The words of refused calls. */
export const refusalsWords = defineAreaWords({
  intro: [
    'Why calls of applications were refused, in the last 7 days. Bodies are not kept.',
    '最近 7 天应用调用被拒绝的原因。不保存请求内容。',
  ],
  operation: ['Operation', '接口'],
  counts: [
    'Refused calls by cause, in the last hour or the chosen period',
    '按原因统计的被拒调用（最近一小时或所选时段）',
  ],
  all: ['All refused calls', '全部被拒调用'],
  noneTitle: ['No refused calls', '暂无被拒调用'],
  none: ['Calls without a valid token, and logins, are not listed.', '没有有效令牌的调用和登录不在此列出。'],
});
