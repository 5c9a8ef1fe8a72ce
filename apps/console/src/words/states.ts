import { defineWords } from './define-words.ts';

/** The states of batches, orders, assets, webhooks, applications and channels. */
export const stateWords = defineWords({
  accepted: ['Accepted', '已受理'],
  processing: ['Processing', '处理中'],
  completed: ['Completed', '已完成'],
  pending: ['Pending', '待处理'],
  succeeded: ['Succeeded', '成功'],
  failed: ['Failed', '失败'],
  cancelled: ['Cancelled', '已取消'],
  active: ['Active', '有效'],
  inactive: ['Inactive', '无效'],
  revoked: ['Revoked', '已撤销'],
  enabled: ['Enabled', '已启用'],
  disabled: ['Disabled', '已停用'],
  failing: ['Failing', '投递失败'],
  unsent: ['Pending', '待发送'],
  delivered: ['Delivered', '已投递'],
  unapproved: ['Pending', '待批准'],
  approved: ['Approved', '已批准'],
  suspended: ['Suspended', '已停用'],
  current: ['Up to date', '正常'],
  behind: ['Behind', '滞后'],
  paused: ['Paused', '已暂停'],
});

/** A state that a page can show. */
export type KnownState = keyof typeof stateWords.en;
