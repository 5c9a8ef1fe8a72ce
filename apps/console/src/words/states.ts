import { defineWords } from './define-words.ts';

/** The states of batches, orders, assets, webhooks, applications and channels. */
export const stateWords = defineWords({
  en: {
    accepted: 'Accepted',
    processing: 'Processing',
    completed: 'Completed',
    pending: 'Pending',
    succeeded: 'Succeeded',
    failed: 'Failed',
    cancelled: 'Cancelled',
    active: 'Active',
    inactive: 'Inactive',
    revoked: 'Revoked',
    enabled: 'Enabled',
    disabled: 'Disabled',
    failing: 'Failing',
    unsent: 'Pending',
    delivered: 'Delivered',
    unapproved: 'Pending',
    approved: 'Approved',
    suspended: 'Suspended',
    current: 'Up to date',
    behind: 'Behind',
    paused: 'Paused',
  },
  zh: {
    accepted: '已受理',
    processing: '处理中',
    completed: '已完成',
    pending: '待处理',
    succeeded: '成功',
    failed: '失败',
    cancelled: '已取消',
    active: '有效',
    inactive: '无效',
    revoked: '已撤销',
    enabled: '已启用',
    disabled: '已停用',
    failing: '投递失败',
    unsent: '待发送',
    delivered: '已投递',
    unapproved: '待批准',
    approved: '已批准',
    suspended: '已停用',
    current: '正常',
    behind: '滞后',
    paused: '已暂停',
  },
});

/** A state that a page can show. */
export type KnownState = keyof typeof stateWords.en;
